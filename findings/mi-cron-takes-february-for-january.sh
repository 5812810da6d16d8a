#!/usr/bin/env bash
# @fregante/mi-cron 2.0.1 (npm): "0 12 1 feb *" is due on the first of January, and "jan" is a month 0.
#
# Guess: the names of months and days stand for their numbers, feb for 2, as the package "supports the complete standard cron syntax" and its example
#   has wed as 3.
# Seen: a name is turned into its place in the list, which begins at 0: right for days, which begin at 0, and one too small for months. Each schedule
#   with the name of a month runs a month early; with jan, alone, it runs in December.
# Source: dist/index.js, parseField: aliases.indexOf(match) without min.
# Output seen: "0 12 1 2 *: months 2, week days 0,1,2,3,4,5,6, next 2027-02-01T12:00:00.000Z", "0 12 1 feb *: months 1, week days 0,1,2,3,4,5,6, next 2027-01-01T12:00:00.000Z", "0 12 1 jan *: months 0, week days 0,1,2,3,4,5,6, next 2026-12-01T12:00:00.000Z", "0 12 1 nov-dec *: months 10,11, week days 0,1,2,3,4,5,6, next 2026-10-01T12:00:00.000Z", "0 12 * * wed: months 1,2,3,4,5,6,7,8,9,10,11,12, week days 3, next 2026-06-17T12:00:00.000Z"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @fregante/mi-cron@2.0.1 >/dev/null || exit 2
cat >run.mjs <<'JS'
import { parseCron } from "@fregante/mi-cron";
const from = new Date(Date.UTC(2026, 5, 15));
for (const schedule of ["0 12 1 2 *", "0 12 1 feb *", "0 12 1 jan *", "0 12 1 nov-dec *", "0 12 * * wed"]) {
  console.log(`${schedule}: months ${parseCron(schedule).months}, week days ${parseCron(schedule).weekDays}, next ${parseCron.nextDate(schedule, from).toISOString()}`);
}
JS
seen=$(node run.mjs)
echo "$seen"
[ "$seen" = "0 12 1 2 *: months 2, week days 0,1,2,3,4,5,6, next 2027-02-01T12:00:00.000Z
0 12 1 feb *: months 1, week days 0,1,2,3,4,5,6, next 2027-01-01T12:00:00.000Z
0 12 1 jan *: months 0, week days 0,1,2,3,4,5,6, next 2026-12-01T12:00:00.000Z
0 12 1 nov-dec *: months 10,11, week days 0,1,2,3,4,5,6, next 2026-10-01T12:00:00.000Z
0 12 * * wed: months 1,2,3,4,5,6,7,8,9,10,11,12, week days 3, next 2026-06-17T12:00:00.000Z" ] || { echo "changed" >&2; exit 1; }
