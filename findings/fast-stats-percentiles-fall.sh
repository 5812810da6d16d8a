#!/usr/bin/env bash
# fast-stats 0.0.7 (npm): the 75th percentile can be smaller than the 74th and the 60th.
#
# Guess: percentile(p) follows one rule for each p, so that it never falls while p grows; which of the usual nine rules it is does not
#   matter much with many samples, and a report that has the median, p74 and p75 side by side is in order.
# Seen: for 25, 50 and 75 the mean of the two samples around (n-1)p/100 is taken, for any other p the sample number n·p/100 from 0. Of ten
#   delays of 10 to 100 ms the 74th percentile is 80 and the 75th 75; of two samples, 10 and 20, the 60th is 20 and the 75th 15. A
#   box (25, 50, 75) and tails (90, 99) in one figure are from two rules, half a rank and more apart.
# Source: faststats.js, percentile: three cases for 25, 50 and 75 before floor(length * p / 100).
# Output seen: "ten: p50 55 p51 60 p74 80 p75 75 p76 80 p90 100", "two: p60 20 p75 15 p76 20"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund fast-stats@0.0.7 >/dev/null || exit 2
cat >run.js <<'JS'
const { Stats } = require("fast-stats");
const show = (name, samples, shares) => {
  const stats = new Stats().push(samples);
  console.log(`${name}: ${shares.map((share) => `p${share} ${stats.percentile(share)}`).join(" ")}`);
};
show("ten", [10, 20, 30, 40, 50, 60, 70, 80, 90, 100], [50, 51, 74, 75, 76, 90]);
show("two", [10, 20], [60, 75, 76]);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "ten: p50 55 p51 60 p74 80 p75 75 p76 80 p90 100
two: p60 20 p75 15 p76 20" ] || { echo "changed" >&2; exit 1; }
