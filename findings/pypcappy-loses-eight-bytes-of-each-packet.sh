#!/usr/bin/env bash
# pypcappy 0.0.7 (PyPI): a packet of a pcapng file begins eight bytes late and ends with the options of its block.
#
# Guess: of an Enhanced Packet Block `packet.data` is the captured bytes, as many as the block's captured length says.
# Seen: the packet is in the block from byte 20 on, and the library takes it from byte 28, so that the destination MAC address and a third of
#   the source's are gone. Its length is read from the packet's own first five bytes: mostly a large number, so that padding and
#   options follow and a comment reads as payload; with a locally administered address, 02:00:00:.., it is 2. No error tells.
# Source: pypcappy/blocks/enhancedpacket.py, capture_len and packet; draft-ietf-opsawg-pcapng §4.3.
# Output seen: "written 38: 5254000000010200 0000..5b5c", "read 32: 0000..5b5c0000", "read 48: .." with a comment, "read 3: 000000" with 02:00:00:..
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v pypcappy==0.0.7 >/dev/null 2>&1 || exit 2
cat >run.py <<'PY'
import struct

from pypcappy import PcapNgFile


def block(kind, body):
    body += bytes(-len(body) % 4)
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


def captured(packet, options=b""):
    padded = packet + bytes(-len(packet) % 4)
    return block(6, struct.pack("<5I", 0, 0, 0, len(packet), len(packet)) + padded + options)


packets = [bytes.fromhex(mac + "020000000002 0800") + bytes(range(0x45, 0x45 + 24)) for mac in ("525400000001", "020000000001")]
comment = struct.pack("<HH", 1, 5) + b"hello" + bytes(3) + bytes(4)
head = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + block(1, struct.pack("<HHI", 1, 0, 65535))
with open("a.pcapng", "wb") as file:
    file.write(head + captured(packets[0]) + captured(packets[0], comment) + captured(packets[1]))
print(f"written {len(packets[0])}: {packets[0][:8].hex()} {packets[0][8:].hex()}")
for found in PcapNgFile("a.pcapng").packets:
    print(f"read {len(found.data)}: {found.data.hex()}")
PY
seen=$(PYTHONPATH=v python3 run.py) || exit 2
echo "$seen"
[ "$seen" = "written 38: 5254000000010200 00000002080045464748494a4b4c4d4e4f505152535455565758595a5b5c
read 32: 00000002080045464748494a4b4c4d4e4f505152535455565758595a5b5c0000
read 48: 00000002080045464748494a4b4c4d4e4f505152535455565758595a5b5c00000100050068656c6c6f00000000000000
read 3: 000000" ] || { echo "changed" >&2; exit 1; }
