#!/usr/bin/env bash
# tle.js 5.0.3 (npm): a drag term of " 00123-3" is 0.000123, a hundred times 0.00000123.
#
# Guess: the point stands in front of the five digits (" 00123-3" is 0.00123e-3), as the comment in the source has it: 12345-4 is 0.000012345. Most sets
#   have no zero in front, but nothing says that they must, and other programs write some.
# Seen: the digits are read as a number and the point is set in front of what is left: 123 is 0.123. Each leading zero makes the term ten times too
#   large.
# Source: src/utils.js, _toLeadingDecimal counts the digits of the number.
# Output seen: " 12345-4: 0.000012345 0.000012345, by its digits 0.000012345", "-11606-4: -0.000011606 -0.000011606, by its digits -0.000011606", " 01234-3: 0.0001234 0.0001234, by its digits 0.000012340", " 00123-3: 0.000123 0.000123, by its digits 0.0000012300", "-00012-1: -0.012 -0.012, by its digits -0.000012000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts tle.js@5.0.3 >/dev/null || exit 2
cat >run.mjs <<'JS'
import { getBstarDrag, getSecondTimeDerivative } from "tle.js";
const second = "2 99999  53.0000  10.0000 0001000  90.0000 270.0000 15.05000000    17";
for (const term of [" 12345-4", "-11606-4", " 01234-3", " 00123-3", "-00012-1"]) {
  const first = `1 99999U 26001A   26001.50000000  .00000000 ${term} ${term} 0  999`;
  const checksum = [...first].reduce((sum, sign) => sum + (sign === "-" ? 1 : Number(sign) || 0), 0) % 10;
  const set = [first + checksum, second];
  const right = (Number(term.slice(0, 6)) / 1e5) * 10 ** Number(term.slice(6));
  console.log(`${term}: ${getBstarDrag(set)} ${getSecondTimeDerivative(set)}, by its digits ${right.toPrecision(5)}`);
}
JS
seen=$(node run.mjs)
echo "$seen"
[ "$seen" = " 12345-4: 0.000012345 0.000012345, by its digits 0.000012345
-11606-4: -0.000011606 -0.000011606, by its digits -0.000011606
 01234-3: 0.0001234 0.0001234, by its digits 0.000012340
 00123-3: 0.000123 0.000123, by its digits 0.0000012300
-00012-1: -0.012 -0.012, by its digits -0.000012000" ] || { echo "changed" >&2; exit 1; }
