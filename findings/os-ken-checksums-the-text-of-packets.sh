#!/usr/bin/env bash
# os-ken 4.2.2 (PyPI): the checksum of a built SCTP packet is that of its Python notation.
#
# Guess: `sctp.serialize()` with csum=0 fills in the CRC32c of the packet (RFC 9260 §6.8); the table is right, and so are the
#   first and last steps and the order of bytes.
# Seen: the sum runs over the characters of "bytearray(b'\x13\x88...')", the text that Python 3 makes of the buffer: each
#   packet that a controller sends in a packet-out is dropped by its receiver, and no error is seen at either end.
#   Python 2's text was the bytes themselves. TCP and UDP of the same library, which have another function, are right.
# Source: os_ken/lib/packet/sctp.py, sctp._checksum: `for c in str(data)`.
# Output seen: "has 2d1c9dbd, CRC32c of the packet bc9d41cb, of its notation 2d1c9dbd"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install os-ken==4.2.2 crc32c==2.9.post0 || exit 2
seen=$("$folder/venv/bin/python" - <<'PY'
import struct

from crc32c import crc32c
from os_ken.lib.packet import sctp

data = sctp.chunk_data(begin=1, end=1, tsn=1, sid=0, seq=0, payload_id=3, payload_data=b"abcd")
packet = bytes(sctp.sctp(5000, 2905, 7, 0, [data]).serialize(None, None))
empty = bytearray(packet)
empty[8:12] = bytes(4)
right, of_text = (struct.pack("<I", crc32c(part)).hex() for part in (bytes(empty), str(empty).encode()))
print(f"has {packet[8:12].hex()}, CRC32c of the packet {right}, of its notation {of_text}")
PY
) || exit 2
echo "$seen"
[ "$seen" = "has 2d1c9dbd, CRC32c of the packet bc9d41cb, of its notation 2d1c9dbd" ] || { echo "changed" >&2; exit 1; }
