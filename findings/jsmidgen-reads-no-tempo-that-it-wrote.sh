#!/usr/bin/env bash
# jsmidgen 0.1.8 (npm): a tempo of 120 beats, written and read again, is not a number, and one of 1000 beats is 3.
#
# Guess: mpqnFromBpm gives three octets of microseconds, bpmFromMpqn takes them, or a number; a short number is filled up in front (Standard MIDI Files
#   1.0, FF 51 03 tttttt).
# Seen: of an array the way back computes the number, by bits in place of octets, and divides by the array all the same: NaN. A tempo above 915 beats,
#   of which the length fits in two octets, is filled up behind: ea 60 00, 15.4 seconds a beat. 900 beats are right. MetaEvent.SEQUENCE, which is type
#   0, is "not specified".
# Source: lib/jsmidgen.js, Util.bpmFromMpqn, Util.mpqnFromBpm (push(0)), MetaEvent.prototype.toBytes (!this.type).
# Output seen: "120 beats: 07a120, read NaN, by hand 120", "900 beats: 01046a, read NaN, by hand 900", "1000 beats: ea6000, read NaN, by hand 3", "sequence: Type for meta-event not specified."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts jsmidgen@0.1.8 >/dev/null || exit 2
cat >run.js <<'JS'
const { Util, MetaEvent } = require("jsmidgen");
for (const beats of [120, 900, 1000]) {
    const octets = Util.mpqnFromBpm(beats);
    const length = Buffer.from(octets).readUIntBE(0, 3);
    console.log(`${beats} beats: ${Buffer.from(octets).toString("hex")}, read ${Util.bpmFromMpqn(octets)}, by hand ${Util.bpmFromMpqn(length)}`);
}
try {
    console.log(new MetaEvent({ type: MetaEvent.SEQUENCE, data: [0, 1] }).toBytes());
} catch (error) {
    console.log(`sequence: ${error.message}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "120 beats: 07a120, read NaN, by hand 120
900 beats: 01046a, read NaN, by hand 900
1000 beats: ea6000, read NaN, by hand 3
sequence: Type for meta-event not specified." ] || { echo "changed" >&2; exit 1; }
