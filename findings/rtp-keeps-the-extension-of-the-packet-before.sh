#!/usr/bin/env bash
# rtp 0.0.4 (PyPI): a second packet read into the same object has the extension and the contributing sources of the first as well.
#
# Guess: fromBytes() fills an object from a packet ("Populate instance from bytes"), so that a receive loop may keep one object: each field is that
#   of the packet just read, as version, marker, number, time, source and payload are.
# Seen: a header extension is set if the packet has one, and never taken away; contributing sources are added to those that are there. A packet
#   without either, read behind one with both, is written again with both, 12 octets longer and with a bit that its sender did
#   not set. After fifteen sources the next packet with one is an error, whose text blames its list.
# Source: rtp/rtp.py, RTP.fromBytearray (self.csrcList.append; self.extension only in the branch of the X bit).
# Output seen: "first: 1 source, extension True", "second: 1 source, extension True, 13 octets written as 25", "anew: 0 sources, extension False"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v rtp==0.0.4 || exit 2
cat >run.py <<'PY'
from rtp import RTP

header = lambda first, number: bytes([first, 8]) + number.to_bytes(2, "big") + bytes(7) + b"\x01"
with_both = header(0x91, 1) + bytes([0, 0, 0, 5]) + bytes.fromhex("bede0001" "10800000") + b"a"
plain = header(0x80, 2) + b"b"

def show(name, packet, raw=None):
    sources = len(packet.csrcList)
    line = f"{name}: {sources} {'source' if sources == 1 else 'sources'}, extension {packet.extension is not None}"
    print(line + (f", {len(raw)} octets written as {len(bytes(packet))}" if raw else ""))

packet = RTP()
packet.fromBytes(with_both)
show("first", packet)
packet.fromBytes(plain)
show("second", packet, plain)
show("anew", RTP().fromBytes(plain))
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "first: 1 source, extension True
second: 1 source, extension True, 13 octets written as 25
anew: 0 sources, extension False" ] || { echo "changed" >&2; exit 1; }
