#!/usr/bin/env bash
# stopcock 1.1.0 (npm): a limit of 900 calls a second lets 500 through, one of 1900 lets 1000 through.
#
# Guess: a token bucket with `limit` tokens per `interval` gives that many to a queue that is never empty, whatever the resolution of its timer:
#   what is rounded at one refill is made good by the next, as the comment in refill says ("the actual time required").
# Seen: the time of each refill is rounded up to whole milliseconds and never made good: a token of 1.11 ms costs 2, so that 501 to 999 a
#   second are all 500, and 1001 to 1999 are 1000; 300 are 250. Whole divisors of 1000 are exact, and so tests with 10 or 100 are. A
#   load generator that is paced so offers half of the load that its report is about.
# Source: index.js, TokenBucket.refill: this.last += Math.ceil((tokens * this.interval) / this.limit).
# Output seen: "100: 100", "300: 250", "900: 500", "1000: 1000", "1900: 1000" (of ten seconds of a clock that the script moves)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund stopcock@1.1.0 >/dev/null || exit 2
cat >run.js <<'JS'
// Timers and clock are replaced by virtual ones of whole milliseconds, as Node's are.
let now = 0;
let last = 0;
const timers = new Map();
Date.now = () => now;
global.setTimeout = (callback, delay) => {
  timers.set((last += 1), { at: now + Math.max(1, Math.floor(delay)), callback });
  return last;
};
global.clearTimeout = (timer) => timers.delete(timer);
const stopcock = require("stopcock");

for (const limit of [100, 300, 900, 1000, 1900]) {
  now = 0;
  timers.clear();
  let calls = 0;
  const call = stopcock(() => (calls += 1), { limit, interval: 1000, bucketSize: 1 });
  for (let count = 0; count < 20000; count += 1) call();
  calls = 0;
  while (now < 10000) {
    const [timer, { at, callback }] = [...timers].sort((one, other) => one[1].at - other[1].at)[0];
    timers.delete(timer);
    now = at;
    callback();
  }
  console.log(`${limit}: ${calls / 10}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "100: 100
300: 250
900: 500
1000: 1000
1900: 1000" ] || { echo "changed" >&2; exit 1; }
