#!/usr/bin/env bash
# jsmidgen 0.1.8 (npm): a note that is switched off by a velocity of 0 is played at 90, and the twelve lowest notes have no name.
#
# Guess: note on with the velocity 0 ends a note (MIDI 1.0 detailed specification, "Note Off"), and 0 to 127 are given as they are; the name of note 0
#   is c-1, or c0 by the library's way of counting from an octave lower, as it has names from 12 on.
# Seen: the velocity 0 counts as not given and becomes 90, so that the note begins anew in place of ending; a silent release of 0 is one of 90. Notes 0
#   to 11 are NaN.
# Source: lib/jsmidgen.js, Track.prototype.addNoteOn, addNoteOff (velocity || DEFAULT_VOLUME), Util.noteFromMidiPitch.
# Output seen: "velocity 0: on 90, off 90", "velocity 1: on 1, off 1", "12 c0, 11 NaN, 0 NaN"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts jsmidgen@0.1.8 >/dev/null || exit 2
cat >run.js <<'JS'
const { Track, Util } = require("jsmidgen");
for (const velocity of [0, 1]) {
    const track = new Track();
    track.noteOn(0, 60, 0, velocity).noteOff(0, 60, 0, velocity);
    const octets = Buffer.from(track.toBytes()).subarray(8);
    console.log(`velocity ${velocity}: on ${octets[3]}, off ${octets[7]}`);
}
console.log([12, 11, 0].map((note) => `${note} ${Util.noteFromMidiPitch(note)}`).join(", "));
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "velocity 0: on 90, off 90
velocity 1: on 1, off 1
12 c0, 11 NaN, 0 NaN" ] || { echo "changed" >&2; exit 1; }
