#!/usr/bin/env bash
# os-ken 4.2.2 (PyPI): behind a chunk whose length is no multiple of four the next chunk is looked for in the padding.
#
# Guess: the padding, which the chunk's length does not count (RFC 9260 §3.2), is skipped before the next chunk; the parameters
#   of INIT and the causes of ERROR, padded in the same way, are read right by this library.
# Seen: the next chunk starts one to three bytes too early. A padding of one byte is type 0 with the next type as its flags and the
#   flags as a length: `struct.error` for a message of three bytes, even alone. `packet.Packet`, which controllers call, takes
#   that for the end of what it knows, so that such a packet has no SCTP layer and no ports, while those of full words have.
#   And reading ends silently at a type that the library does not know (I-DATA, FORWARD-TSN): the chunks behind are not
#   in `chunks`, nor in what serialize() writes.
# Source: os_ken/lib/packet/sctp.py, sctp.parser: `offset += len(ins)`, where the length of a chunk is its field.
# Output seen: "4 bytes: data data", "3 bytes: struct.error", "3 bytes alone: struct.error", "FORWARD-TSN between: data"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install os-ken==4.2.2 crc32c==2.9.post0 || exit 2
seen=$("$folder/venv/bin/python" - <<'PY'
import struct

from crc32c import crc32c
from os_ken.lib.packet import sctp

def chunk(kind, flags, body):
    return struct.pack("!BBH", kind, flags, 4 + len(body)) + body + bytes(-len(body) % 4)

def data(tsn, payload):
    return chunk(0, 3, struct.pack("!IHHI", tsn, 0, tsn, 3) + payload)

def read(*chunks):
    head, body = struct.pack("!HHI", 5000, 2905, 7), b"".join(chunks)
    checksum = struct.pack("<I", crc32c(head + bytes(4) + body))
    try:
        packet, _, _ = sctp.sctp.parser(head + checksum + body)
    except struct.error:
        return "struct.error"
    return " ".join(type(one).__name__.removeprefix("chunk_") for one in packet.chunks)

print("4 bytes:", read(data(1, b"abcd"), data(2, b"efgh")))
print("3 bytes:", read(data(1, b"abc"), data(2, b"efgh")))
print("3 bytes alone:", read(data(1, b"abc")))
print("FORWARD-TSN between:", read(data(1, b"abcd"), chunk(0xC0, 0, struct.pack("!I", 3)), data(4, b"efgh")))
PY
) || exit 2
echo "$seen"
[ "$seen" = "4 bytes: data data
3 bytes: struct.error
3 bytes alone: struct.error
FORWARD-TSN between: data" ] || { echo "changed" >&2; exit 1; }
