#!/usr/bin/env bash
# simple-statistics 7.12.1 (npm): the normal distribution ends at 0.001 and 0.999, however far out one asks.
#
# Guess: cumulativeStdNormalProbability(z) is right to several digits for each z, as the library's errorFunction is, with which
#   it can be computed; at z = 5 it is 0.9999997.
# Seen: it is looked up in a table of four digits that ends at z = 3.09, and all behind that is its last entry. The two-sided
#   p of a z-test is never below 0.002: with a correction for twenty comparisons (0.05 / 20 = 0.0025) hardly anything is
#   left to be found, and a difference of ten standard errors looks like one of three. z counts in steps of 0.01.
# Source: src/cumulative_std_normal_probability.js, src/standard_normal_table.js.
# Output seen: "z 2: p 0.0456, by errorFunction 0.04550026", "z 5: p 0.002, by errorFunction 0.00000057", "z 10: p 0.002, by
#   errorFunction 0.00000000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund simple-statistics@7.12.1 >/dev/null || exit 2
cat >run.js <<'JS'
const { cumulativeStdNormalProbability, errorFunction } = require("simple-statistics");
for (const z of [2, 5, 10]) {
  const table = Number((2 * (1 - cumulativeStdNormalProbability(z))).toFixed(4));
  const computed = 1 - errorFunction(z / Math.SQRT2);
  console.log(`z ${z}: p ${table}, by errorFunction ${computed.toFixed(8)}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "z 2: p 0.0456, by errorFunction 0.04550026
z 5: p 0.002, by errorFunction 0.00000057
z 10: p 0.002, by errorFunction 0.00000000" ] || { echo "changed" >&2; exit 1; }
