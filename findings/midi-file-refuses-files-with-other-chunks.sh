#!/usr/bin/env bash
# midi-file 1.2.4 (npm): a chunk of another kind before the tracks makes the file unreadable.
#
# Guess: programs expect chunks that they do not know and treat them as if they were not there (Standard MIDI Files 1.0, "Chunks"), which is what the
#   length of each is for.
# Seen: what comes where a track is expected must be MTrk, else a text is thrown, not an Error, so that the caller has no stack and no message. A chunk
#   behind the last track, as XF files have, is not looked at.
# Source: lib/midi-parser.js, parseMidi.
# Output seen: "none: 1 track", "behind: 1 track", "before: string: Bad MIDI file.  Expected 'MTrk', got: 'XFIH'"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts midi-file@1.2.4 >/dev/null || exit 2
cat >run.js <<'JS'
const { parseMidi } = require("midi-file");
const chunk = (name, ...octets) => Buffer.concat([Buffer.from(name), Buffer.from([0, 0, 0, octets.length]), Buffer.from(octets)]);
const head = chunk("MThd", 0, 0, 0, 1, 0, 96);
const track = chunk("MTrk", 0, 0xff, 0x2f, 0);
const other = chunk("XFIH", 1, 2);
for (const [name, ...parts] of [["none", head, track], ["behind", head, track, other], ["before", head, other, track]]) {
    let seen;
    try {
        seen = `${parseMidi(Buffer.concat(parts)).tracks.length} track`;
    } catch (error) {
        seen = `${typeof error}: ${error}`;
    }
    console.log(`${name}: ${seen}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "none: 1 track
behind: 1 track
before: string: Bad MIDI file.  Expected 'MTrk', got: 'XFIH'" ] || { echo "changed" >&2; exit 1; }
