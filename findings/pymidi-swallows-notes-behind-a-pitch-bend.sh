#!/usr/bin/env bash
# pymidi 0.5.0 (PyPI): all commands of a packet behind a pitch bend, a program change or a channel pressure belong to it.
#
# Guess: commands that a reader has no fields for keep their own octets, two behind Ex and one behind Cx and Dx, as each status octet tells (MIDI 1.0, table of channel voice
#   messages; RFC 6295 §3.2), so that the notes of the same packet are still heard.
# Seen: "unknown" takes all octets to the end of the list, the next times and notes with them: a note on in the packet of a bend is never handed over. Keyboards put both into one
#   packet whenever they happen within some milliseconds. Four kinds of commands are known, and behind those all is right.
# Source: pymidi/packets.py, MIDIPacketCommand: the default of params is GreedyBytes.
# Output seen: "controller and note: control_mode_change, note_on", "bend and note: 224 004000903c40", "program and note: 192 0500903c40"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v --no-deps pymidi==0.5.0 construct==2.10.70 six==1.16.0 future==1.0.0 || exit 2
cat >run.py <<'PY'
import struct

from pymidi.packets import MIDIPacket

NOTE = bytes([0, 0x90, 60, 64])


def show(name, first):
    commands = first + NOTE
    entries = MIDIPacket.parse(struct.pack("!BBHIIB", 0x80, 0x61, 1, 0, 9, len(commands)) + commands).command.midi_list
    texts = [f"{entry.command} {entry.params.get('unknown', b'').hex()}".strip() for entry in entries]
    print(f"{name}: {', '.join(texts)}")


show("controller and note", bytes([0xB0, 7, 100]))
show("bend and note", bytes([0xE0, 0, 0x40]))
show("program and note", bytes([0xC0, 5]))
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "controller and note: control_mode_change, note_on
bend and note: 224 004000903c40
program and note: 192 0500903c40" ] || { echo "changed" >&2; exit 1; }
