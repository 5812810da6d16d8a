#!/usr/bin/env bash
# ewma 2.0.1 (npm): the example of the README, 100 at t = 0 and 200 at t = 10, has an average of 100 and not of 150, since the first value is lost.
#
# Guess: with a half-life of 10 the second value takes the average halfway from 100 to 200, as the README says, and the first value is the average
#   until then; the clock may be any object with now(), such as that of a simulation, or performance.now() from the start of a page.
# Seen: without an initial value the average is 0 as of the time 0, and the first value is weighed by the time since then. At t = 0 it counts for
#   nothing; five seconds after the start a constant 100 is 29.3 with a half-life of ten. With the default clock the zero lies in 1970
#   and is gone. The initial value would set it right, which nobody knows before the first value.
# Source: index.js, Ewma (_ewma = 0 and _stamp = 0) and insert.
# Output seen: "by the README 150, seen 100", "100 each second: 6.7 12.9 18.8 24.2 29.3", "Date: 100.0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ewma@2.0.1 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const Ewma = require("ewma");
let now = 0;
const clock = { now: () => now };
const example = new Ewma(10, undefined, clock);
example.insert(100);
now = 10;
example.insert(200);
console.log(`by the README 150, seen ${example.value()}`);
now = 0;
const average = new Ewma(10000, undefined, clock);
const seen = [];
for (now = 1000; now <= 5000; now += 1000) {
  average.insert(100);
  seen.push(average.value().toFixed(1));
}
console.log(`100 each second: ${seen.join(" ")}`);
const dated = new Ewma(10000);
dated.insert(100);
console.log(`Date: ${dated.value().toFixed(1)}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "by the README 150, seen 100
100 each second: 6.7 12.9 18.8 24.2 29.3
Date: 100.0" ] || { echo "changed" >&2; exit 1; }
