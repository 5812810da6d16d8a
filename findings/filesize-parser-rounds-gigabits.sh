#!/usr/bin/env bash
# filesize-parser 1.5.2 (npm): eight gigabits are less than one gigabyte, by 141,824 bytes, and 1,024 KB are one.
#
# Guess: with the base of 2 "8 Gb" and "1 GB" are the same number of bytes, as "8 Kb" and "1 KB", "8 Mb" and "1 MB" are; what parses file sizes
#   is used for buffers and for limits of transfers, too.
# Seen: from Gb on the units of bits are written with four digits in the source: 8 Gb is 1073600000, 1 GB 1073741824, and 8 Pb lacks 0.3
#   TB. A comma is a point, once: "1,024 KB", as reports in English have it, is 1049 bytes, and "1,048,576" is an error
#   that is thrown as a text, not as an Error. The README has neither.
# Source: index.js: incrementBases has 1.342e+8, 1.374e+11, 1.407e+14; parsed[1].replace(',', '.').
# Output seen: "Mb: 0", "Gb: 141824", "Tb: 311627776", "Pb: 299906842624", "1,024 KB: 1049"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund filesize-parser@1.5.2 >/dev/null || exit 2
cat >run.js <<'JS'
const parse = require("filesize-parser");
for (const letter of ["M", "G", "T", "P"]) console.log(`${letter}b: ${parse(`1 ${letter}B`) - parse(`8 ${letter}b`)}`);
console.log("1,024 KB:", parse("1,024 KB"));
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "Mb: 0
Gb: 141824
Tb: 311627776
Pb: 299906842624
1,024 KB: 1049" ] || { echo "changed" >&2; exit 1; }
