#!/usr/bin/env bash
# jstat 1.9.6 (npm): probabilities of binomial and Poisson distributions are Infinity or NaN where counts are above some hundreds.
#
# Guess: a probability is between 0 and 1; the densities are computed by logarithms, as the library's own combinationln and
#   factorialln are there for that, and hypergeometric ones with 2000 items come out right.
# Seen: binomial.pdf(515, 1030, 0.5) is Infinity, with 510 of 1020 all is right. poisson.pdf(200, 200) is NaN, and the sum to 150
#   with the mean 200, which is 0.0001, Infinity; with the mean 100 all is right. Losses in a few thousand packets and
#   retransmissions in a minute are such counts; "p < 0.05" is false for both, so that a test finds no difference.
# Source: dist/jstat.js: binomial.pdf multiplies combination(n, k) and powers; poisson.pdf divides a power by a factorial.
# Output seen: "binomial 510 of 1020: 0.02498", "515 of 1030: Infinity", "Poisson pdf 100 of 100: 0.03986, 200 of 200: NaN",
#   "Poisson cdf 80 of 100: 0.02265, 150 of 200: Infinity", "hypergeometric: 0.24671"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund jstat@1.9.6 >/dev/null || exit 2
cat >run.js <<'JS'
const { jStat: { binomial, hypgeom, poisson } } = require("jstat");
const show = (value) => (Number.isFinite(value) ? value.toFixed(5) : String(value));
console.log(`binomial 510 of 1020: ${show(binomial.pdf(510, 1020, 0.5))}, 515 of 1030: ${show(binomial.pdf(515, 1030, 0.5))}`);
console.log(`Poisson pdf 100 of 100: ${show(poisson.pdf(100, 100))}, 200 of 200: ${show(poisson.pdf(200, 200))}`);
console.log(`Poisson cdf 80 of 100: ${show(poisson.cdf(80, 100))}, 150 of 200: ${show(poisson.cdf(150, 200))}`);
console.log(`hypergeometric: ${show(hypgeom.pdf(5, 2000, 1000, 10))}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "binomial 510 of 1020: 0.02498, 515 of 1030: Infinity
Poisson pdf 100 of 100: 0.03986, 200 of 200: NaN
Poisson cdf 80 of 100: 0.02265, 150 of 200: Infinity
hypergeometric: 0.24671" ] || { echo "changed" >&2; exit 1; }
