#!/usr/bin/env bash
# cron-parser-py 1.0.0 (PyPI): at 10:07:30 the previous run of "7 10 * * *" is that of yesterday, and one of the first of June is an error.
#
# Guess: the run before 10:07:30 was at 10:07:00, half a minute ago; before January 2026 the last first of June was in 2025.
# Seen: the search backwards begins at the end of the minute before, so that a run of the current minute is passed over: for a job of every day a whole
#   day is lost. Going back over years the last day of December is taken for that of the schedule's last month, and February, June and others have no
#   31st.
# Source: cron_parser_py/scheduler.py, the search backwards.
# Output seen: "6 10 * * *: previous 2026-01-15 10:06:00, next 2026-01-16 10:06:00", "7 10 * * *: previous 2026-01-14 10:07:00, next 2026-01-16 10:07:00", "*/15 * * * *: previous 2026-01-15 10:00:00, next 2026-01-15 10:15:00", "* * * * *: previous 2026-01-15 10:06:00, next 2026-01-15 10:08:00", "0 0 1 6 *: previous ValueError: day is out of range for month, next 2026-06-01 00:00:00", "0 0 1 7 *: previous 2025-07-01 00:00:00, next 2026-07-01 00:00:00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v cron-parser-py==1.0.0 || exit 2
cat >run.py <<'PY'
from datetime import datetime
import cron_parser_py as cron

now = datetime(2026, 1, 15, 10, 7, 30)
for text in ("6 10 * * *", "7 10 * * *", "*/15 * * * *", "* * * * *", "0 0 1 6 *", "0 0 1 7 *"):
    try:
        previous = cron.previous_run(text, now)
    except ValueError as error:
        previous = f"ValueError: {error}"
    print(f"{text}: previous {previous}, next {cron.next_run(text, now)}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "6 10 * * *: previous 2026-01-15 10:06:00, next 2026-01-16 10:06:00
7 10 * * *: previous 2026-01-14 10:07:00, next 2026-01-16 10:07:00
*/15 * * * *: previous 2026-01-15 10:00:00, next 2026-01-15 10:15:00
* * * * *: previous 2026-01-15 10:06:00, next 2026-01-15 10:08:00
0 0 1 6 *: previous ValueError: day is out of range for month, next 2026-06-01 00:00:00
0 0 1 7 *: previous 2025-07-01 00:00:00, next 2026-07-01 00:00:00" ] || { echo "changed" >&2; exit 1; }
