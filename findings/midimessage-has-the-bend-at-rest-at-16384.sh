#!/usr/bin/env bash
# midimessage 1.0.5 (npm): a pitch wheel at rest is 16384, the highest place of the wheel 32639, and numbers are missing between.
#
# Guess: a pitch bend is 14 bits, seven in each octet, the lower first, so that the rest position e0 00 40 is 8192 of 0 to 16383 (MIDI 1.0 detailed
#   specification, "Pitch Bend Change").
# Seen: the upper seven bits are shifted by eight places, as if octets had eight bits. Centre is 16384, full up 32639, and of two neighbours the
#   difference is 129 where the lower part runs over. Who subtracts 8192, as the specification says, has each note a whole range too high.
# Source: src/index.js, case 0xE0, (msb << 8) + lsb.
# Output seen: "lowest: 0", "below rest: 16255", "at rest: 16384", "highest: 32639"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts midimessage@1.0.5 >/dev/null || exit 2
cat >run.js <<'JS'
const parse = require("midimessage");
for (const [name, ...data] of [["lowest", 0, 0], ["below rest", 0x7f, 0x3f], ["at rest", 0, 0x40], ["highest", 0x7f, 0x7f]]) {
    console.log(`${name}: ${parse({ data: Uint8Array.from([0xe0, ...data]) }).pitchBend}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "lowest: 0
below rest: 16255
at rest: 16384
highest: 32639" ] || { echo "changed" >&2; exit 1; }
