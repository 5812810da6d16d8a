#!/usr/bin/env bash
# imei 0.0.1 (npm): the number next to one that begins with zeros is shorter by them, and its own check says that it is not valid.
#
# Guess: an IMEI is 15 decimal digits, 8 of the type, 6 of the serial number and a check digit (TS 23.003 §6.2.1); types begin with zeros
#   in numbers for tests, and with 01 in those that were given in North America. The next number has the same type, and a new check digit.
# Seen: the first 14 digits are added to as a number: 00499901064000 plus 1 is 499901064001, two digits too short, so that the type has moved by two places. Numbers that
#   begin with another digit are right.
# Source: index.js, next: parseInt(withoutLuhn, 10) + 1, then toString().
# Output seen: "490154203237518: 490154203237526, valid", "004999010640000: 4999010640018, not valid"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts imei@0.0.1 checkdigit@1.1.1 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const imei = require("imei");
for (const number of ["490154203237518", "004999010640000"]) {
  imei.next(number, (error, next) => console.log(`${number}: ${error || `${next}, ${imei.isValid(next) ? "valid" : "not valid"}`}`));
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "490154203237518: 490154203237526, valid
004999010640000: 4999010640018, not valid" ] || { echo "changed" >&2; exit 1; }
