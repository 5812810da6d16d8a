#!/usr/bin/env bash
# ewma 2.0.1 and moving-average 1.0.1 (npm): a sample that comes at the same instant as the one before does not count, however far off it is.
#
# Guess: averages weighted by time differ in how fast an old sample fades; each sample that is given counts. Round-trip times are often
#   given in groups: all packets that one read of a socket brings have one time of a clock of milliseconds, and in a simulation, too.
# Seen: the weight of a new sample is 1 - 2^(-elapsed/half-life), or 1 - e^(-elapsed/span), which is 0 where nothing elapsed: after 100, a
#   thousand samples of 200 in one millisecond leave 100, the variance stays 0, and nothing is reported. The first of a group decides.
#   Clocks that begin at 0 have a surprise of their own: ewma takes the time 0 for "there was a sample of 0", so that three seconds
#   of nothing but 100 give 87.5 with a half-life of a second; moving-average takes it for "no sample yet" and forgets it for the second.
# Source: ewma index.js, insert (`w` is 1), and `_stamp` of 0 in the constructor; moving-average index.js, alpha and `if (previousTime)`.
# Output seen: "ewma: group 100, from zero 0 50 75 87.5", "moving-average: group 100 variance 0, from zero 200, from one 101"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ewma@2.0.1 moving-average@1.0.1 >/dev/null || exit 2
cat >run.js <<'JS'
const Ewma = require("ewma");
const MovingAverage = require("moving-average");

let now = 5000;
const clock = { now: () => now };
const group = new Ewma(1000, 100, clock);
const early = MovingAverage(1000);
early.push(now, 100);
for (let sample = 0; sample < 1000; sample += 1) {
  group.insert(200);
  early.push(now, 200);
}
now = 0;
const zero = new Ewma(1000, undefined, clock);
const averages = [];
for (; now <= 3000; now += 1000) {
  zero.insert(100);
  averages.push(zero.value());
}
const from = (start) => {
  const average = MovingAverage(1000);
  average.push(start, 100);
  average.push(start + 10, 200);
  return Math.round(average.movingAverage());
};
console.log(`ewma: group ${Math.round(group.value())}, from zero ${averages.join(" ")}`);
console.log(`moving-average: group ${early.movingAverage()} variance ${early.variance()}, from zero ${from(0)}, from one ${from(1)}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "ewma: group 100, from zero 0 50 75 87.5
moving-average: group 100 variance 0, from zero 200, from one 101" ] || { echo "changed" >&2; exit 1; }
