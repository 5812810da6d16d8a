#!/usr/bin/env bash
# @iarna/toml 3.0.0 (npm): the number 1e-7 is written as "1e-7.undefined", which no TOML parser takes.
#
# Guess: a number that JavaScript shows with an exponent is TOML as it is (TOML 1.0, Float: a fraction, an exponent, or both);
#   what `stringify` writes, `parse` reads.
# Seen: a text without a point is cut at its point all the same, and what is missing is put behind as "undefined". It meets
#   each number below 1e-6 with one digit, 2e-7 or 1e-12: a bit error rate, a tolerance, a small probability of loss. 1.5e-7
#   is right, as are large numbers. No error when the file is written; it comes with the next start.
# Source: stringify.js, stringifyFloat: the parts of the text around the point.
# Output seen: "0.001: 0.001", "0.0000015: 0.0000015", "1.5e-7: 1.5e-7", "1e-7: 1e-7.undefined, not read again"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @iarna/toml@3.0.0 >/dev/null || exit 2
cat >run.js <<'JS'
const toml = require("@iarna/toml");
for (const loss of [0.001, 0.0000015, 1.5e-7, 1e-7]) {
  const text = toml.stringify({ loss });
  let note = "";
  try {
    if (toml.parse(text).loss !== loss) note = ", another number";
  } catch {
    note = ", not read again";
  }
  console.log(`${loss}: ${text.trim().slice("loss = ".length)}${note}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "0.001: 0.001
0.0000015: 0.0000015
1.5e-7: 1.5e-7
1e-7: 1e-7.undefined, not read again" ] || { echo "changed" >&2; exit 1; }
