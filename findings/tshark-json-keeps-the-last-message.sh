#!/usr/bin/env bash
# tshark 4.0.17 (Debian), -T json: of an SCTP packet with bundled messages a JSON reader sees the last one, and no ports.
#
# Guess: a packet has one "sctp" with its header and all its chunks, as a packet of TCP has one "tcp"; chunks of one kind are a list,
#   or have names of their own, since bundling (RFC 9260 §6.10) is the usual case of signalling under load.
# Seen: each chunk whose message is decoded ends a layer, so that the same object has the keys "sctp" and "m3ua" three times.
#   Readers keep the last of equal keys (RFC 8259 §4): jq, Python and JavaScript show one chunk of three, without ports,
#   verification tag and SACK, and no error. One message a packet, as in a quiet test, comes out whole. With
#   --no-duplicate-keys, which one has to know of, "sctp" is a list for such packets and an object for the others.
# Source: epan/dissectors/packet-sctp.c, dissect_sctp_chunks (a new item behind each chunk with a payload); man tshark, -T json.
# Output seen: "whole.json: ports 5000 2905, TSNs 0", "bundled.json: ports none, TSNs 2", "keys written: sctp m3ua sctp m3ua sctp m3ua"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
wireshark=4.0.17-0+deb12u3
apt-get download -qq {tshark,wireshark-common,libwireshark16,libwireshark-data,libwiretap13,libwsutil14}=$wireshark \
    libc-ares2=1.18.1-3 liblua5.2-0=5.2.4-3 libpcap0.8=1.10.3-1 libsmi2ldbl=0.4.8+dfsg2-16 libsnappy1v5=1.1.9-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu WIRESHARK_DATA_DIR=$folder/root/usr/share/wireshark
export HOME=$folder
tshark() { "$folder/root/usr/bin/tshark" "$@" 2>/dev/null; }
tshark --version >/dev/null || exit 2
cat >captures.py <<'PY'
import struct

def chunk(kind, flags, body):
    return struct.pack("!BBH", kind, flags, 4 + len(body)) + body

def message(tsn, kind):
    return chunk(0, 3, struct.pack("!IHHI", tsn, 0, tsn, 3) + struct.pack("!BBBBI", 1, 0, 3, kind, 8))

def capture(name, *chunks):
    packet = struct.pack("!HHII", 5000, 2905, 2, 0) + b"".join(chunks)
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(packet), 0, 0, 64, 132, 0) + bytes([192, 0, 2, 1, 192, 0, 2, 2])
    packet = head + packet
    file = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    open(name, "wb").write(file + struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)

sack = chunk(3, 0, struct.pack("!IIHH", 7, 100000, 0, 0))
capture("whole", message(1, 1))
capture("bundled", sack, message(1, 1), message(2, 3), message(3, 3))
PY
python3 captures.py
cat >read.py <<'PY'
import json
import re
import sys

def values(node, name):
    for key, value in node.items():
        if isinstance(value, dict):
            yield from values(value, name)
        elif key == name:
            yield value

for name in sys.argv[1:]:
    text = open(name).read()
    sctp = json.loads(text)[0]["_source"]["layers"]["sctp"]
    ports = [sctp[key] for key in ("sctp.srcport", "sctp.dstport") if key in sctp]
    print(f"{name}: ports {' '.join(ports) or 'none'}, TSNs {' '.join(values(sctp, 'sctp.data_tsn'))}")
print("keys written:", *re.findall(r'"(sctp|m3ua)": {', text))
PY
for name in whole bundled; do tshark -r $name -T json >$name.json; done
seen=$(python3 read.py whole.json bundled.json)
echo "$seen"
[ "$seen" = "whole.json: ports 5000 2905, TSNs 0
bundled.json: ports none, TSNs 2
keys written: sctp m3ua sctp m3ua sctp m3ua" ] || { echo "changed" >&2; exit 1; }
