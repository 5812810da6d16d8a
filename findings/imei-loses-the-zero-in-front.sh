#!/usr/bin/env bash
# imei 0.0.1 (npm): the number after one that starts with 0 has fourteen digits, and is none by the package's own check.
#
# Guess: next() counts up the serial number and writes a new check digit: fifteen digits as before (3GPP TS 23.003 §6.2.1), since type allocation
#   codes of the United States start with 01, and those of test devices with 00.
# Seen: the first fourteen digits are counted as one number, so that zeros in front are gone, without an error; isValid() of the result is
#   false, and a loop over a range ends at its second call with "invalid imei". The check digit is right, because a zero in front adds nothing.
# Source: index.js, next (parseInt of the digits).
# Output seen: "350000000000006 -> 350000000000014 true", "010000000000008 -> 10000000000016 false"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund imei@0.0.1 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const imei = require("imei");
const luhn = (digits) => {
  const sum = [...digits].reduce((all, digit, index) => all + (index % 2 ? [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][digit] : Number(digit)), 0);
  return digits + ((10 - (sum % 10)) % 10);
};
for (const first of [luhn("35000000000000"), luhn("01000000000000")]) {
  if (!imei.isValid(first)) process.exit(2);
  imei.next(first, (error, next) => console.log(`${first} -> ${error ?? next} ${imei.isValid(next)}`));
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "350000000000006 -> 350000000000014 true
010000000000008 -> 10000000000016 false" ] || { echo "changed" >&2; exit 1; }
