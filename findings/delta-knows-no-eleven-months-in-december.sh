#!/usr/bin/env bash
# delta 0.4.2 (PyPI): in December "11 months" are an error, and half a month of January is 13.5 days.
#
# Guess: months count from the month of the context: 11 months from the first of December 2026 are 334 days, as 10 are 304 and 12 are 365. Half a month
#   is half of the month in question, 15.5 days of January, or at most half of February, 14.
# Seen: the month behind the last is reckoned as month + months + 1, here 24, whose remainder by 12 is 0, no month of the calendar. It is asked for also
#   where no fraction was given. The fraction is taken of the days between the first and the last of the month behind, one less than the month has: 27 for
#   February.
# Source: delta/parse.py, key == 'months': end_month % 12, and days_in_month.
# Output seen: "10 months from 2026-12: 304.0", "11 months from 2026-12: IllegalMonthError: bad month number 0; must be 1-12", "12 months from 2026-12: 365.0", "11 months from 2026-11: 334.0", "1 month from 2026-01: 31.0", "0.5 months from 2026-01: 13.5"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v delta==0.4.2 || exit 2
cat >run.py <<'PY'
from datetime import datetime
from delta import parse

for text, context in (("10 months", (2026, 12, 1)), ("11 months", (2026, 12, 1)), ("12 months", (2026, 12, 1)), ("11 months", (2026, 11, 1)), ("1 month", (2026, 1, 1)), ("0.5 months", (2026, 1, 1))):
    try:
        seen = parse(text, datetime(*context)).total_seconds() / 86400
    except Exception as error:
        seen = f"{type(error).__name__}: {error}"
    print(f"{text} from {datetime(*context):%Y-%m}: {seen}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "10 months from 2026-12: 304.0
11 months from 2026-12: IllegalMonthError: bad month number 0; must be 1-12
12 months from 2026-12: 365.0
11 months from 2026-11: 334.0
1 month from 2026-01: 31.0
0.5 months from 2026-01: 13.5" ] || { echo "changed" >&2; exit 1; }
