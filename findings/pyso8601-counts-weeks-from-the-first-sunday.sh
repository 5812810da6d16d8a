#!/usr/bin/env bash
# PySO8601 0.2.0 (PyPI): 2026-W10-3 is the tenth of March, six days late, and 2026-W01-1 the fourth of January instead of 29 December.
#
# Guess: week 1 is that with the year's first Thursday, and day 1 is Monday (ISO 8601, week date): 2026-W10-3 is Wednesday, 4 March 2026, as
#   date.fromisocalendar has it.
# Seen: the week is read as one of those that begin at Sundays, the first with the year's first Sunday, and the day is made smaller by one to fit:
#   Wednesday becomes Tuesday. Whether the result is six days late or one day early depends on the year; it is never right. The
#   README shows week 5, day 2 of 2010 as the first of February, a Monday, which by the standard is the second, a Tuesday.
# Source: PySO8601/regexs.py: '%Y-W%U-%w'; datetimestamps.py: int(found['date'][-1:]) - 1.
# Output seen: "2026-W01-1: 2026-01-04, by the calendar 2025-12-29", "2026-W10-3: 2026-03-10, by the calendar 2026-03-04", "2023-W10-3: 2023-03-07, by the calendar 2023-03-08", "2024-W10-3: 2024-03-12, by the calendar 2024-03-06", "2020-W53-5: 2021-01-07, by the calendar 2021-01-01", "right in twenty years: 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v PySO8601==0.2.0 || exit 2
cat >run.py <<'PY'
from datetime import date
import PySO8601

right = 0
for year in range(2015, 2035):
    for week in range(1, 53):
        for day in range(1, 8):
            try:
                right += PySO8601.parse(f"{year}-W{week:02}-{day}").date() == date.fromisocalendar(year, week, day)
            except ValueError:
                pass
for year, week, day in ((2026, 1, 1), (2026, 10, 3), (2023, 10, 3), (2024, 10, 3), (2020, 53, 5)):
    print(f"{year}-W{week:02}-{day}: {PySO8601.parse(f'{year}-W{week:02}-{day}').date()}, by the calendar {date.fromisocalendar(year, week, day)}")
print(f"right in twenty years: {right}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "2026-W01-1: 2026-01-04, by the calendar 2025-12-29
2026-W10-3: 2026-03-10, by the calendar 2026-03-04
2023-W10-3: 2023-03-07, by the calendar 2023-03-08
2024-W10-3: 2024-03-12, by the calendar 2024-03-06
2020-W53-5: 2021-01-07, by the calendar 2021-01-01
right in twenty years: 0" ] || { echo "changed" >&2; exit 1; }
