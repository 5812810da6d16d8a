#!/usr/bin/env bash
# aioquic 1.7.2 (PyPI): a DATAGRAM that no packet can hold stays first in the queue and none behind it is sent.
#
# Guess: `send_datagram_frame` refuses what does not fit into a packet, as other stacks do (quinn: TooLarge), or drops it:
#   datagrams are unreliable, and each stands for itself (RFC 9221 §5). The peer's max_datagram_frame_size, 65536 here,
#   says what the peer takes, not what a path carries.
# Seen: 1200 bytes in a connection with packets of 1200: no error; that datagram and each later one, of any size, waits until
#   the connection ends. Streams go on, so that the connection looks well. The limit is in no property; a program has
#   to know that about 1150 bytes fit. Nor is max_datagram_frame_size of the peer looked at.
# Source: src/aioquic/quic/connection.py, send_datagram_frame, and the loop over the pending datagrams: QuicPacketBuilderStop
#   ends the packet, the datagram is tried first in the next.
# Output seen: "arrived [100, 1100], streams 3000 bytes, waiting [1200, 300, 50]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install aioquic==1.7.2 cryptography==50.0.2 || exit 2
cat >run.py <<'PY'
import datetime
import ssl
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import DatagramFrameReceived, StreamDataReceived
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

key = ec.generate_private_key(ec.SECP256R1())
name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "peer")])
today = datetime.datetime.now(datetime.timezone.utc)
certificate = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
               .serial_number(1).not_valid_before(today - datetime.timedelta(days=1))
               .not_valid_after(today + datetime.timedelta(days=1)).sign(key, hashes.SHA256()))
shared = dict(max_datagram_frame_size=65536, alpn_protocols=["finding"])
client = QuicConnection(configuration=QuicConfiguration(is_client=True, verify_mode=ssl.CERT_NONE, **shared))
server = QuicConnection(
    configuration=QuicConfiguration(is_client=False, certificate=certificate, private_key=key, **shared),
    original_destination_connection_id=client.original_destination_connection_id)
places = {client: ("192.0.2.1", 1000), server: ("192.0.2.2", 2000)}
now, arrived, stream = 0.0, [], 0

def run(steps):
    global now, stream
    for _ in range(steps):
        now += 0.01
        for end, other in ((client, server), (server, client)):
            timer = end.get_timer()
            if timer is not None and timer <= now:
                end.handle_timer(now)
            for datagram, _ in end.datagrams_to_send(now):
                other.receive_datagram(datagram, places[end], now)
        while event := server.next_event():
            if isinstance(event, DatagramFrameReceived):
                arrived.append(len(event.data))
            if isinstance(event, StreamDataReceived):
                stream += len(event.data)

client.connect(places[server], now=now)
run(50)
sizes = [100, 1100, 1200, 300, 50]
for size in sizes:
    client.send_datagram_frame(bytes(size))
client.send_stream_data(0, bytes(3000))
run(500)
print(f"arrived {arrived}, streams {stream} bytes, waiting {[size for size in sizes if size not in arrived]}")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "arrived [100, 1100], streams 3000 bytes, waiting [1200, 300, 50]" ] || { echo "changed" >&2; exit 1; }
