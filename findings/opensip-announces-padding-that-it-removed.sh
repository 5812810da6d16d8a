#!/usr/bin/env bash
# opensip 0.2.1 (PyPI): an RTP packet that is read and written again says that it has padding and an extension, and has neither.
#
# Guess: RTPPacket.unpack and pack are inverses, or pack leaves out the bits with what they announce, as it does right for contributing sources.
# Seen: unpack takes off the padding and the header extension, and keeps no copy, while the fields `padding` and `extension` stay true and pack sets
#   both bits. A receiver takes the speech's first octets for an extension, and its last octet for the number of octets to take off (RFC 3550,
#   §5.1, §5.3.1): of the eight octets nothing is left, by its own reader as well. A packet is safe if it is built, not read.
# Source: opensip/rtp.py, RTPPacket.unpack and pack.
# Output seen: "padding: 8 octets, then 0", "extension: 8 octets, then 0", "sources: 8 octets, then 8"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v opensip==0.2.1 || exit 2
cat >run.py <<'PY'
import struct

from opensip.rtp import RTPPacket

SPEECH = bytes.fromhex("d5d5d5d5d5d50008")


def packet(first, before=b"", behind=b""):
    return struct.pack("!BBHII", first, 8, 1, 160, 7) + before + SPEECH + behind


def again(data):
    read = RTPPacket.unpack(data)
    assert read.payload == SPEECH
    return f"{len(read.payload)} octets, then {len(RTPPacket.unpack(read.pack()).payload)}"


print("padding:", again(packet(0xA0, behind=b"\0\0\0\4")))
print("extension:", again(packet(0x90, before=struct.pack("!HHI", 0xBEDE, 1, 0x10AA0000))))
print("sources:", again(packet(0x81, before=struct.pack("!I", 9))))
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "padding: 8 octets, then 0
extension: 8 octets, then 0
sources: 8 octets, then 8" ] || { echo "changed" >&2; exit 1; }
