#!/usr/bin/env bash
# node-timecodes 2.5.0 (npm): 1.9999 seconds are "00:00:01:25" at 25 frames a second, and a second may have 1000 milliseconds.
#
# Guess: frames run from 00 to 24 at 25 a second (SMPTE ST 12-1), and milliseconds from 000 to 999: what rounds up to a whole second is carried into the
#   next one, or the frame in which the time lies is given, 24.
# Seen: the fraction of the second is rounded and the second is not: frame 25 of 25, frame 30 of 30, and "00:00:59:1000" with four digits. toSeconds
#   then reads 00:00:01:25 as 2. Times just short of a second come from clocks with microseconds and from sums of frames.
# Source: dist/fromSeconds.js: milliseconds and frame are rounded, secs is Math.floor of the time before that.
# Output seen: "1.96 {}: 00:00:01:24", "1.9999 {}: 00:00:01:25", "2 {}: 00:00:02:00", "1.9999 {"frameRate":30}: 00:00:01:30", "59.999 {"ms":true}: 00:00:59:999", "59.99996 {"ms":true}: 00:00:59:1000", "read again: 2"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts node-timecodes@2.5.0 >/dev/null || exit 2
cat >run.cjs <<'JS'
const { fromSeconds, toSeconds } = require("node-timecodes");
for (const [time, options] of [[1.96, {}], [1.9999, {}], [2, {}], [1.9999, { frameRate: 30 }], [59.999, { ms: true }], [59.99996, { ms: true }]]) {
  console.log(`${time} ${JSON.stringify(options)}: ${fromSeconds(time, options)}`);
}
console.log(`read again: ${toSeconds(fromSeconds(1.9999))}`);
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "1.96 {}: 00:00:01:24
1.9999 {}: 00:00:01:25
2 {}: 00:00:02:00
1.9999 {\"frameRate\":30}: 00:00:01:30
59.999 {\"ms\":true}: 00:00:59:999
59.99996 {\"ms\":true}: 00:00:59:1000
read again: 2" ] || { echo "changed" >&2; exit 1; }
