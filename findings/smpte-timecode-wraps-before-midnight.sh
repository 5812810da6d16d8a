#!/usr/bin/env bash
# smpte-timecode 1.3.6 (npm): where no frames are dropped, a day of 23.976 or 29.97 frames a second ends up to 86 seconds before 23:59:59.
#
# Guess: without drop-frame counting each second has 24 or 30 numbers (SMPTE ST 12-1), a day 2,073,600 or 2,592,000; add() wraps behind the last: one frame after
#   23:59:00:00 is 23:59:00:01.
# Seen: the count is taken modulo the frames that a day of real time has, 23.98 or 29.97 times 86,400: 2,071,872 or 2,589,408. From 23:58:48:00 or 23:58:33:18 on add() jumps
#   to the beginning: one frame after 23:59:00:00 is 00:00:12:01 or 00:00:26:13, and add(0) moves, too. The constructor reads and writes those times right. Drop-frame
#   time, 24 and 25 are right.
# Source: smpte-timecode.js, add (this.frameCount % Math.round(this.frameRate * 86400)).
# Output seen: "23.976: 23:59:00:00 + 1 = 00:00:12:01", "29.97: 23:59:00:00 + 1 = 00:00:26:13", "29.97: 23:59:00:00 + 0 = 00:00:26:12"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund smpte-timecode@1.3.6 >/dev/null || exit 2
cat >run.js <<'JS'
const Timecode = require("smpte-timecode");
for (const [text, rate, drop, frames] of [["23:59:00:00", 24, false, 1], ["23:59:00:00", 23.976, false, 1], ["23:59:00;02", 29.97, true, 1],
  ["23:59:00:00", 29.97, false, 1], ["23:59:00:00", 29.97, false, 0]]) {
  console.log(`${rate}: ${new Timecode(text, rate, drop)} + ${frames} = ${new Timecode(text, rate, drop).add(frames)}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "24: 23:59:00:00 + 1 = 23:59:00:01
23.976: 23:59:00:00 + 1 = 00:00:12:01
29.97: 23:59:00;02 + 1 = 23:59:00;03
29.97: 23:59:00:00 + 1 = 00:00:26:13
29.97: 23:59:00:00 + 0 = 00:00:26:12" ] || { echo "changed" >&2; exit 1; }
