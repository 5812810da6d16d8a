#!/usr/bin/env bash
# jsmidgen 0.1.8 (npm): a text event of 128 letters or more breaks the track behind it.
#
# Guess: the length of a meta event is a variable-length quantity (Standard MIDI Files 1.0, "Meta-Events"), for which the library has a function that
#   times are written with.
# Seen: the length is one octet. 128 letters are ff 01 80, of which 80 announces a second octet of length: the reader takes the first letter for it, and
#   the length for 65 ("A"); midi-file 1.2.4 ends in an error. A lyric or a copyright notice of that size makes events of letters. 127 letters are
#   right.
# Source: lib/jsmidgen.js, MetaEvent.prototype.toBytes (byteArray.push(this.data.length)).
# Output seen: "127 letters: 00ff017f4141, read as text of 127, noteOn, noteOff", "128 letters: 00ff01804141, read as an error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts jsmidgen@0.1.8 midi-file@1.2.4 >/dev/null || exit 2
cat >run.js <<'JS'
const Midi = require("jsmidgen");
const { parseMidi } = require("midi-file");
for (const letters of [127, 128]) {
    const file = new Midi.File();
    const track = new Midi.Track();
    file.addTrack(track);
    track.addEvent(new Midi.MetaEvent({ type: Midi.MetaEvent.TEXT, data: "A".repeat(letters) }));
    track.addNote(0, "c4", 64);
    const octets = Buffer.from(file.toBytes(), "latin1");
    let seen;
    try {
        seen = parseMidi(octets).tracks[0].map(({ type, text }) => (text ? `${type} of ${text.length}` : type)).slice(0, 3).join(", ");
    } catch (error) {
        seen = "an error";
    }
    console.log(`${letters} letters: ${octets.subarray(22, 28).toString("hex")}, read as ${seen}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "127 letters: 00ff017f4141, read as text of 127, noteOn, noteOff
128 letters: 00ff01804141, read as an error" ] || { echo "changed" >&2; exit 1; }
