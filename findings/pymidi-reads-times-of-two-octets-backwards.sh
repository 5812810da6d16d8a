#!/usr/bin/env bash
# pymidi 0.5.0 (PyPI): a pause of 128 ticks is read as 1, one of 200 as 9217, and packets whose first command has a time are empty.
#
# Guess: delta times have seven bits an octet, the highest first, as in MIDI files: 81 00 is 128 (RFC 6295 §3.1); with the Z flag the first command has one, too (§3, figure 3).
# Seen: the lowest bits are taken first, as in protocol buffers: 81 00 is 1, 81 48 is 9217. The flag is not looked at: the time is taken for a command, and the list ends before the
#   first one, without an error. Times up to 127 and packets without the flag are right.
# Source: pymidi/packets.py, MIDIPacketCommand: delta_time is construct's VarInt (LEB128), present if _index > 0.
# Output seen: "8100: 1", "8148: 9217", "7f: 127", "Z flag: []"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v --no-deps pymidi==0.5.0 construct==2.10.70 six==1.16.0 future==1.0.0 || exit 2
cat >run.py <<'PY'
import struct

from pymidi.packets import MIDIPacket

ON = bytes([0x90, 60, 64])
OFF = bytes([0x80, 60, 0])


def read(commands, flags=0):
    head = struct.pack("!BBHIIB", 0x80, 0x61, 1, 0, 9, flags | len(commands))
    return MIDIPacket.parse(head + commands).command.midi_list


for time in ("8100", "8148", "7f"):
    print(f"{time}: {read(ON + bytes.fromhex(time) + OFF)[1].delta_time}")
print(f"Z flag: {[str(entry.command) for entry in read(bytes([10]) + ON, 0x20)]}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "8100: 1
8148: 9217
7f: 127
Z flag: []" ] || { echo "changed" >&2; exit 1; }
