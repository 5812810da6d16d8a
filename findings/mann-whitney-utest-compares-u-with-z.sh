#!/usr/bin/env bash
# mann-whitney-utest 1.0.5 (npm): two samples of one value each differ significantly, and two of 25 values each, with z = 5.09, do not.
#
# Guess: significant() compares the smaller U with the critical value of U for the two sizes, or z, the distance from the mean of U in standard deviations, with 1.96.
#   One value against another can say nothing (p is 1); z = 5.09 is p = 0.0000004.
# Seen: U is compared with z: "the lesser U-value is less than the critical value", and criticalValue() is z. U grows with the product of the sizes, z with
#   its root, so that larger samples are significant only if U is next to 0.
# Source: index.js, significant (Math.min(u[0], u[1]) < criticalValue(u, samples)), criticalValue ("return z"). @tainakanchu/mann-whitney-utest is a copy of it.
# Output seen: "1 and 1: U 0, z 1.00, significant true", "25 and 25: U 50, z 5.09, significant false", "200 and 200: U 9800, z 8.82, significant false"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund mann-whitney-utest@1.0.5 >/dev/null || exit 2
cat >run.js <<'JS'
const { test, criticalValue, significant } = require("mann-whitney-utest");
for (const [size, shift] of [[1, 1], [25, 15], [200, 60]]) {
  const first = Array.from({ length: size }, (_, place) => place);
  const samples = [first, first.map((value) => value + shift)];
  const u = test(samples);
  console.log(`${size} and ${size}: U ${Math.min(...u)}, z ${criticalValue(u, samples).toFixed(2)}, significant ${significant(u, samples)}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "1 and 1: U 0, z 1.00, significant true
25 and 25: U 50, z 5.09, significant false
200 and 200: U 9800, z 8.82, significant false" ] || { echo "changed" >&2; exit 1; }
