#!/usr/bin/env bash
# tcpdump 4.99.3 (Debian): ASCONF is printed as REL CTRL, I-FORWARD-TSN as its answer REL CTRL ACK.
#
# Guess: chunks have the names of the RFCs; those that tcpdump does not know, as it shows RE-CONFIG and I-DATA, are "unknown".
# Seen: the types 0xC1 and 0xC2 have the names of an early draft, "reliable control": 0xC1 is ASCONF (RFC 5061 §4.1), a host that
#   changes its addresses, and 0xC2 I-FORWARD-TSN (RFC 8260 §2.3), messages that were given up. ASCONF ACK is 0x80, an unknown
#   chunk: a failover looks like a request and no answer, and a lossy data channel like acknowledgements of control
#   messages that nobody sent.
# Source: print-sctp.c, ChunkParsed and the names at its head (SCTP_RELIABLE_CNTL).
# Output seen: "ASCONF: [REL CTRL]", "ASCONF ACK: [Unknown chunk type: 0x80]", "FORWARD TSN: [FOR CUM TSN]",
#   "I-FORWARD-TSN: [REL CTRL ACK]", "RE-CONFIG: [Unknown chunk type: 0x82]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq tcpdump=4.99.3-1 libpcap0.8=1.10.3-1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >capture.py <<'PY'
import struct

out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
for kind, body in (
    (0xC1, "00000001" + "00050008c0000201" + "c001001000000001" + "00050008c0000203"),
    (0x80, "00000001" + "0005000800000001"),
    (0xC0, "0000000a" + "00010002"),
    (0xC2, "0000000a" + "0001000000000002"),
    (0x82, "000d0010" + "00000001" + "00000002" + "00000003"),
):
    body = bytes.fromhex(body)
    packet = struct.pack("!HHII", 5000, 2905, 2, 0) + struct.pack("!BBH", kind, 0, 4 + len(body)) + body
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(packet), 0, 0, 64, 132, 0)
    packet = head + bytes([192, 0, 2, 1, 192, 0, 2, 2]) + packet
    out += struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet
open("capture", "wb").write(out)
PY
python3 capture.py
lines=$(LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu root/usr/bin/tcpdump -ntr capture 2>/dev/null) || exit 2
names=("ASCONF" "ASCONF ACK" "FORWARD TSN" "I-FORWARD-TSN" "RE-CONFIG")
seen=$(echo "$lines" | sed 's/.*sctp (1) //; s/ *$//' | while read -r shown; do
    echo "${names[0]}: $shown"
    names=("${names[@]:1}")
done)
echo "$seen"
[ "$seen" = "ASCONF: [REL CTRL]
ASCONF ACK: [Unknown chunk type: 0x80]
FORWARD TSN: [FOR CUM TSN]
I-FORWARD-TSN: [REL CTRL ACK]
RE-CONFIG: [Unknown chunk type: 0x82]" ] || { echo "changed" >&2; exit 1; }
