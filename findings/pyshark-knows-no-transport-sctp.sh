#!/usr/bin/env bash
# pyshark 0.6 (PyPI) with tshark 4.0.17 (Debian): packets of SCTP have no transport layer, and bundled chunks one value.
#
# Guess: `packet.transport_layer` is "SCTP", the layer between IP and the user's protocol, and `packet.sctp.data_tsn` tells
#   somehow that two DATA chunks are in the packet, as a list or a joined text.
# Seen: it is None, so that the usual `packet[packet.transport_layer].srcport` fails for SCTP; only UDP and TCP are known. The
#   second message is in a second layer "sctp", which has no ports and which `packet.sctp` never shows; where tshark dissects
#   the payload (M3UA) it is in the first layer's .all_fields instead. A sum over packets misses each bundled message.
# Source: pyshark/packet/consts.py, TRANSPORT_LAYERS; packet/packet.py, transport_layer and __getattr__; for the two layers,
#   tshark's PDML has a new "proto" wherever a payload stood between.
# Output seen: "UDP: transport layer UDP", "SCTP: transport layer None, layers sctp DATA sctp DATA, tsn 0 of 0",
#   "second layer: tsn 1, ports False"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
python3 -m venv venv
venv/bin/pip --quiet --disable-pip-version-check install pyshark==0.6 || exit 2
wireshark=4.0.17-0+deb12u3
apt-get download -qq {tshark,wireshark-common,libwireshark16,libwireshark-data,libwiretap13,libwsutil14}=$wireshark \
    libc-ares2=1.18.1-3 liblua5.2-0=5.2.4-3 libpcap0.8=1.10.3-1 libsmi2ldbl=0.4.8+dfsg2-16 libsnappy1v5=1.1.9-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu WIRESHARK_DATA_DIR=$folder/root/usr/share/wireshark
export HOME=$folder
cat >run.py <<'PY'
import struct

import pyshark

def data(tsn):
    return struct.pack("!BBHIHHI", 0, 3, 20, tsn, 0, tsn, 46) + b"abcd"

out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
for protocol, body in (
    (17, struct.pack("!HHHH", 5000, 6000, 12, 0) + b"abcd"),
    (132, struct.pack("!HHII", 5000, 6000, 7, 0) + data(1) + data(2)),
):
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), 0, 0, 64, protocol, 0)
    packet = head + bytes([192, 0, 2, 1, 192, 0, 2, 2]) + body
    out += struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet
open("capture", "wb").write(out)

udp, sctp = pyshark.FileCapture("capture", tshark_path="root/usr/bin/tshark")
print(f"UDP: transport layer {udp.transport_layer}")
layers = " ".join(one.layer_name for one in sctp.layers[2:])
tsn = sctp.sctp.data_tsn
print(f"SCTP: transport layer {sctp.transport_layer}, layers {layers}, tsn {tsn} of {' '.join(one.show for one in tsn.all_fields)}")
second = sctp.get_multiple_layers("sctp")[1]
print(f"second layer: tsn {second.data_tsn}, ports {'srcport' in second.field_names}")
PY
seen=$(venv/bin/python run.py 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "UDP: transport layer UDP
SCTP: transport layer None, layers sctp DATA sctp DATA, tsn 0 of 0
second layer: tsn 1, ports False" ] || { echo "changed" >&2; exit 1; }
