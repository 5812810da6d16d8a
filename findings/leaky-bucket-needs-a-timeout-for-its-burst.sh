#!/usr/bin/env bash
# leaky-bucket 4.1.4 (npm): a bucket for 60 items takes one of them if nothing is to be queued, and 30 if items may wait half as long as it fills.
#
# Guess: { capacity: 60, interval: 60, timeout: 0 } takes 60 items at once and refuses the 61st: the manual says that the complete capacity can be used in
#   a burst, and that a timeout of 0, "the default", will not queue any items if the bucket is empty. With a timeout of 30 s another 30,
#   those that are served within it, are queued.
# Seen: one item with 0, 30 with 30, 60 with 60: what is accepted at first is capacity * timeout / interval, with 0 counted as 1, and is less than the
#   burst if the timeout is shorter than the interval. Without a timeout it is not 0 but the interval. The interval is in seconds, but its default is
#   60000, so that new LeakyBucket() serves an item every 1000 seconds after its burst.
# Source: src/LeakyBucket.js, updateVariables ((timeout || 1) / interval * capacity), the constructor (interval = 60000); README.md, timeout.
# Output seen: "timeout 0: 1 of 60", "timeout 30: 30 of 60", "timeout 60: 60 of 60", "none: 60 of 60", "default rate: 0.001"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund leaky-bucket@4.1.4 >/dev/null || exit 2
cat >run.mjs <<'JS'
import LeakyBucket from "leaky-bucket";
for (const timeout of [0, 30, 60, undefined]) {
  const bucket = new LeakyBucket({ capacity: 60, interval: 60, timeout });
  let taken = 0;
  for (let item = 0; item < 60; item++) {
    await bucket.throttle().then(
      () => taken++,
      () => {},
    );
  }
  console.log(`${timeout === undefined ? "none" : `timeout ${timeout}`}: ${taken} of 60`);
}
console.log("default rate:", new LeakyBucket().refillRate);
process.exit();
JS
seen=$(timeout 30 node run.mjs)
echo "$seen"
[ "$seen" = "timeout 0: 1 of 60
timeout 30: 30 of 60
timeout 60: 60 of 60
none: 60 of 60
default rate: 0.001" ] || { echo "changed" >&2; exit 1; }
