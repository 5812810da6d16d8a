#!/usr/bin/env bash
# rtp.js 0.15.5 (npm): the absolute send time of a packet jumps ahead by 47.6 seconds each 16.4 seconds.
#
# Guess: timeMsToAbsSendTime() turns "Unix epoch timestamp in milliseconds", as its comment says, into seconds of 24 bits with 18 of them behind the
#   point; the field wraps each 64 seconds, and two packets a second apart differ by 262144 (the definition of the header extension).
# Seen: the shift by 18 bits is done in 32 bits, before the division, so that only the lowest 14 bits of the time count, with a sign: from 8191 to
#   8192 ms the field goes from 8.19 to 55.81 s, and so in each 16.384 s of a clock. Times a second apart differ by one second as a rule, as
#   any short test shows; about each sixteenth difference is 48.6 s, which a receiver's estimate of bandwidth takes for a delay (or for
#   one of -15.4 s) that no packet had.
# Source: lib/packets/RTP/rtpExtensions.js, timeMsToAbsSendTime.
# Output seen: "8190 -> 8.190", "8191 -> 8.191", "8192 -> 55.808", "16383 -> 63.999", "16384 -> 0.000", "a second later in 2026: 1.00 or 48.62"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund rtp.js@0.15.5 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { timeMsToAbsSendTime } = require("rtp.js").packets;
const seconds = (ms) => timeMsToAbsSendTime(ms) / 2 ** 18;
for (const ms of [8190, 8191, 8192, 16383, 16384]) console.log(`${ms} -> ${seconds(ms).toFixed(3)}`);
const start = Date.UTC(2026, 0, 1);
const steps = new Set();
for (let second = 0; second < 64; second++) {
  steps.add(((seconds(start + (second + 1) * 1000) - seconds(start + second * 1000) + 64) % 64).toFixed(2));
}
console.log(`a second later in 2026: ${[...steps].sort().join(" or ")}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "8190 -> 8.190
8191 -> 8.191
8192 -> 55.808
16383 -> 63.999
16384 -> 0.000
a second later in 2026: 1.00 or 48.62" ] || { echo "changed" >&2; exit 1; }
