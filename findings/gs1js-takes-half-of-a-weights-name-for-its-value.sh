#!/usr/bin/env bash
# gs1js 0.0.2 (npm): the weight (3103)000500 is the identifier "31" with the value "03000500".
#
# Guess: names of data are two to four digits, and those of measures four, the last being the number of decimals (GS1 General Specifications, section
#   3.2); asked for 3103, the reader gives 000500.
# Seen: all names have two digits. Net weight, length and width all are "31", so that of a parcel with three measures the lookup keeps the last, the
#   value begins with the rest of the name, and 240, 241 and 242 are all "24". The table of lengths by two digits, which the specification gives for
#   finding ends, is taken for the list of names.
# Source: dist/Helpers/GS1Helpers.js, extractIds (substr(0, 2)); GS1Assets.js, FIXED_LENGTH_IDENTIFIERS.
# Output seen: "01: 09501101530003", "31: 03000500", "31: 12001250", "24: 01A7", "3103: undefined, 31: 12001250"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts gs1js@0.0.2 >/dev/null || exit 2
cat >run.js <<'JS'
const { GS1Reader } = require("gs1js/dist/GS1Reader");
const reader = new GS1Reader("0109501101530003" + "3103000500" + "3112001250" + "2401A7");
for (const { identifier, value } of reader.getApplicationIdentifiers()) console.log(`${identifier}: ${value}`);
console.log(`3103: ${reader.getApplicationIdentifierById("3103")}, 31: ${reader.getApplicationIdentifierById("31").value}`);
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "01: 09501101530003
31: 03000500
31: 12001250
24: 01A7
3103: undefined, 31: 12001250" ] || { echo "changed" >&2; exit 1; }
