#!/usr/bin/env bash
# @fregante/mi-cron 2.0.1 (npm): "0 0 29 2 *" is due on the first of March 2026, and "0 0 13 * 5" on Fridays that are a 13th alone.
#
# Guess: 29 February comes in 2028; if both the day of the month and that of the week are restricted, either is enough (POSIX crontab): the next Friday
#   or 13th, as "standard cron expressions" have it.
# Seen: the day is looked for in the list of days without regard to the month, and the date made of it overflows into the next: the 31st of "0 0 31 * *"
#   is also 1 May. The two kinds of days must both fit.
# Source: dist/index.js, parseCron.nextDate: schedule[dial].find, then Date.UTC; dial === 'days' && !schedule.weekDays.includes(…).
# Output seen: "0 0 29 2 * from 2026-1-15: 2026-03-01, by the standard 2028-02-29", "0 0 31 * * from 2026-4-15: 2026-05-01, by the standard 2026-05-31", "0 0 30 * * from 2026-2-15: 2026-03-02, by the standard 2026-03-30", "0 0 13 * 5 from 2026-1-15: 2026-02-13, by the standard 2026-01-16", "0 0 15 * * from 2026-1-15: 2026-02-15, by the standard 2026-02-15"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @fregante/mi-cron@2.0.1 >/dev/null || exit 2
cat >run.mjs <<'JS'
import { parseCron } from "@fregante/mi-cron";
for (const [schedule, month, right] of [["0 0 29 2 *", 0, "2028-02-29"], ["0 0 31 * *", 3, "2026-05-31"], ["0 0 30 * *", 1, "2026-03-30"], ["0 0 13 * 5", 0, "2026-01-16"], ["0 0 15 * *", 0, "2026-02-15"]]) {
  const next = parseCron.nextDate(schedule, new Date(Date.UTC(2026, month, 15, 12)));
  console.log(`${schedule} from 2026-${month + 1}-15: ${next.toISOString().slice(0, 10)}, by the standard ${right}`);
}
JS
seen=$(node run.mjs)
echo "$seen"
[ "$seen" = "0 0 29 2 * from 2026-1-15: 2026-03-01, by the standard 2028-02-29
0 0 31 * * from 2026-4-15: 2026-05-01, by the standard 2026-05-31
0 0 30 * * from 2026-2-15: 2026-03-02, by the standard 2026-03-30
0 0 13 * 5 from 2026-1-15: 2026-02-13, by the standard 2026-01-16
0 0 15 * * from 2026-1-15: 2026-02-15, by the standard 2026-02-15" ] || { echo "changed" >&2; exit 1; }
