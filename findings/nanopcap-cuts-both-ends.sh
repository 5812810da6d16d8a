#!/usr/bin/env bash
# NanoPcap 1.0.4 (PyPI): its filter's --data-offset takes as many bytes from the end of each packet as from its beginning.
#
# Guess: `-o 14 --link-type 228`, a use that the help names (228 is IPv4), takes the Ethernet headers away and leaves IP
#   packets; for the end there is an option of its own, --data-end-offset, which is 0 unless given.
# Seen: the last 14 bytes are gone, too. With --link-type the original length is set to what is left, so that nothing in the
#   file says that a packet was cut: DATA chunks end within the message, and short packets, a SACK or a HEARTBEAT ACK
#   among them, have half a chunk. Offset 0 is right.
# Source: NanoPcap/Tools/Filter.py, onPcapRecord: the end of the slice is the length less the offset, counted from 0.
# Output seen: "offset 0: captured 78 of 78, ends in message", "offset 14: captured 50 of 50, ends in ddddddd"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install NanoPcap==1.0.4 || exit 2
cat >run.py <<'PY'
import struct
import subprocess
import sys

frame = bytes(14) + bytes([0x45]) + b"d" * 56 + b"message"
with open("in", "wb") as out:
    out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    out.write(struct.pack("<IIII", 1700000000, 0, len(frame), len(frame)) + frame)
for offset in ("0", "14"):
    command = [sys.executable, "-m", "NanoPcap.Tools.Filter", "-o", offset, "--link-type", "228", "in", "out" + offset]
    subprocess.run(command, check=True)
    file = open("out" + offset, "rb").read()
    captured, original = struct.unpack("<II", file[32:40])
    print(f"offset {offset}: captured {captured} of {original}, ends in {file[-7:].decode()}")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "offset 0: captured 78 of 78, ends in message
offset 14: captured 50 of 50, ends in ddddddd" ] || { echo "changed" >&2; exit 1; }
