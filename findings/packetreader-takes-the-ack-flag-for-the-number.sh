#!/usr/bin/env bash
# PacketReader 1.1.0 (PyPI): the acknowledgement number of each TCP segment is 1, since the flag of the same name is written over it.
#
# Guess: tcp_header has what a TCP header has (RFC 9293 §3.1), each under a name of its own: the table of fields names 'ACK' "acknowledgment number"
#   beside 'SEQ', and the flags are SYN, RST, PSH and others beside them.
# Seen: the flags are put into the same dictionary after the fields, and the flag ACK takes the key of the number: 1 in each segment after the
#   first SYN, 0 in that. The number is nowhere else, so that round-trip times and what is in flight cannot be had; the sequence
#   number beside it is right. Of the flags FIN alone has no entry.
# Source: PacketReader/packet.py, TCP_HEADER and Packet.tcp_header_format.
# Output seen: "SEQ 1000, ACK 1", "SEQ 1000, ACK 1", "FIN False" (of segments that acknowledge 5000 and 7000, the second with FIN)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v PacketReader==1.1.0 || exit 2
cat >run.py <<'PY'
import struct
import PacketReader

def frame(acknowledged, flags):
    tcp = struct.pack("!HHIIBBHHH", 80, 1024, 1000, acknowledged, 5 << 4, flags, 65535, 0, 0)
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40, 1, 0, 64, 6, 0, bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2]))
    return bytes(12) + b"\x08\x00" + ip + tcp

with open("two.pcap", "wb") as file:
    file.write(struct.pack("=IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    for frame in (frame(5000, 0x10), frame(7000, 0x11)):
        file.write(struct.pack("=IIII", 1, 0, len(frame), len(frame)) + frame)
for packet in PacketReader.read_pcap("two.pcap"):
    print(f"SEQ {packet.tcp_header['SEQ']}, ACK {packet.tcp_header['ACK']}")
print(f"FIN {'FIN' in packet.tcp_header}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "SEQ 1000, ACK 1
SEQ 1000, ACK 1
FIN False" ] || { echo "changed" >&2; exit 1; }
