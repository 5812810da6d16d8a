#!/usr/bin/env bash
# exponential-moving-average 1.0.0 (npm): of a list with an odd number of values the average is NaN from the second place on.
#
# Guess: ema([1, 2, 3, 4, 5]) without a range takes half of the list as range (the default in its source), 2 or 3 values, and gives averages.
# Seen: half of 5 is 2.5: the first average is that of two values, and from then on the values at the places 2.5, 3.5, 4.5 are asked for, which are none.
#   All that follow are "NaN". Four values, or a range that is given, are right. A series of round trips loses its average with every
#   second sample that comes in.
# Source: index.js: {range: arr.length / 2}, and a loop that begins at that number.
# Output seen: "4: 1.50 2.50 3.50", "5: 1.50 NaN NaN NaN", "5 with 2: 1.50 2.50 3.50 4.50"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund exponential-moving-average@1.0.0 >/dev/null || exit 2
cat >run.js <<'JS'
const ema = require("exponential-moving-average");
console.log("4:", ema([1, 2, 3, 4]).join(" "));
console.log("5:", ema([1, 2, 3, 4, 5]).join(" "));
console.log("5 with 2:", ema([1, 2, 3, 4, 5], 2).join(" "));
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "4: 1.50 2.50 3.50
5: 1.50 NaN NaN NaN
5 with 2: 1.50 2.50 3.50 4.50" ] || { echo "changed" >&2; exit 1; }
