#!/usr/bin/env bash
# hdr-histogram-js 3.0.1 (npm): a count above what its bucket holds begins at 0 again, and percentiles move.
#
# Guess: a bucket of 16 bits that is full is an error (the Java library, of which this is the port, throws in the histograms of
#   short and int counts) or stays at its largest value.
# Seen: 70000 round trips of 5 ms and 5000 of 900 ms: with `bitBucketSize: 16`, which the README offers to save memory, the
#   bucket of 5 ms holds 4464. totalCount is right, so that everything looks well, and the 50th and 90th percentile are 0
#   instead of 5, a value that never occurred. The default, 32 bits, wraps at 4294967296, which a count of packets meets.
# Source: dist/TypedArrayHistogram.js: counts are kept in a Uint16Array or Uint32Array.
# Output seen: "16 bits: total 75000, at 5 4464, p50 0, p90 0", "32 bits: total 75000, at 5 70000, p50 5, p90 5"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund hdr-histogram-js@3.0.1 >/dev/null || exit 2
cat >run.js <<'JS'
const hdr = require("hdr-histogram-js");
for (const bitBucketSize of [16, 32]) {
  const times = hdr.build({ bitBucketSize });
  for (let count = 0; count < 70000; count++) times.recordValue(5);
  for (let count = 0; count < 5000; count++) times.recordValue(900);
  console.log(`${bitBucketSize} bits: total ${times.totalCount}, at 5 ${times.getCountAtIndex(5)}, ` +
    `p50 ${times.getValueAtPercentile(50)}, p90 ${times.getValueAtPercentile(90)}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "16 bits: total 75000, at 5 4464, p50 0, p90 0
32 bits: total 75000, at 5 70000, p50 5, p90 5" ] || { echo "changed" >&2; exit 1; }
