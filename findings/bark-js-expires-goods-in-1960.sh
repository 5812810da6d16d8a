#!/usr/bin/env bash
# bark-js 1.2.1 (npm): goods that are to be used by 2060 were to be used by 1960, and those without a day have the day 00.
#
# Guess: years of two digits are of the hundred years around today: 51 to 99 years ahead belong to the century before (GS1 General Specifications,
#   section 7.12, "Determination of century in dates"), so that in 2026 the year 60 is 2060. The day 00 means the last of the month (section 3.4).
# Seen: the difference of the rule is taken for the year itself: from 51 on all is 19xx, whatever today is. What is good until 2051 or later has expired
#   in the last century. 260200 is "2026-02-00", which is no date.
# Source: src/gs1/dataReaders.js, date (year > 50 ? 1900 : 2000).
# Output seen: "501231: 2050-12-31", "510101: 1951-01-01", "600630: 1960-06-30", "260200: 2026-02-00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts bark-js@1.2.1 >/dev/null || exit 2
cat >run.js <<'JS'
const bark = require("bark-js");
for (const day of ["501231", "510101", "600630", "260200"]) console.log(`${day}: ${bark(`17${day}`).elements[0].value}`);
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "501231: 2050-12-31
510101: 1951-01-01
600630: 1960-06-30
260200: 2026-02-00" ] || { echo "changed" >&2; exit 1; }
