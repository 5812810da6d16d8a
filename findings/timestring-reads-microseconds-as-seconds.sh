#!/usr/bin/env bash
# timestring 7.0.0 (npm): "10 µs" are ten seconds, "1m30" is one minute, and "-5s" is five seconds.
#
# Guess: "if the string can not be parsed then an error will be thrown" (README), as it is for "10us" and "1:30"; its pattern of numbers has
#   a sign, so that -5s is -5 or an error.
# Seen: letters that are not ASCII are removed before the text is read, so that the unit of "10 µs" is the "s" that is left. What does not fit
#   the pattern of number and unit is left out, if one such pair is found: the 30 of "1m30" and of "1m 30", and the "1," of "1,5s" joins
#   the rest to 15 s. The sign is matched and then dropped. A plain number in a text counts as milliseconds.
# Source: index.js: replace(/[^.\w+-]+/g, '') before the match of groups, and group.match(/[0-9.]+/g) for the value.
# Output seen: "10us: error", "10 µs: 10000", "1m30: 60000", "1,5s: 15000", "-5s: 5000", "1:30: error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund timestring@7.0.0 >/dev/null || exit 2
cat >run.js <<'JS'
const timestring = require("timestring");
for (const text of ["10us", "10 µs", "1m30", "1,5s", "-5s", "1:30"]) {
  let milliseconds;
  try {
    milliseconds = timestring(text, "ms");
  } catch {
    milliseconds = "error";
  }
  console.log(`${text}: ${milliseconds}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "10us: error
10 µs: 10000
1m30: 60000
1,5s: 15000
-5s: 5000
1:30: error" ] || { echo "changed" >&2; exit 1; }
