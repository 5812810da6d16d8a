#!/usr/bin/env bash
# cron-parser-py 1.0.0 (PyPI): a schedule of the year 2030 is next due in 2027, and one of every ten seconds once a minute.
#
# Guess: with seven fields the last is the year and with six the first the second, as the README lists them: "0 0 12 1 1 ? 2030" is due on 1 January
#   2030 and then never, "*/10 * * * * *" at 10:07:40 when it is 10:07:30.
# Seen: both fields are read and checked and not used by the search, which goes by whole minutes: the year is that of the next that comes, and "45 * * *
#   * *" is due at second 0, as "* * * * *" is.
# Source: cron_parser_py/scheduler.py.
# Output seen: "0 12 1 1 *: 2027-01-01 12:00:00, 2028-01-01 12:00:00", "0 0 12 1 1 ? 2030: 2027-01-01 12:00:00, 2028-01-01 12:00:00", "0 0 12 1 1 ? 2025: 2027-01-01 12:00:00, 2028-01-01 12:00:00", "*/10 * * * * *: 2026-01-15 10:08:00, 2026-01-15 10:09:00", "45 * * * * *: 2026-01-15 10:08:00, 2026-01-15 10:09:00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v cron-parser-py==1.0.0 || exit 2
cat >run.py <<'PY'
from datetime import datetime
import cron_parser_py as cron

now = datetime(2026, 1, 15, 10, 7, 30)
for text in ("0 12 1 1 *", "0 0 12 1 1 ? 2030", "0 0 12 1 1 ? 2025", "*/10 * * * * *", "45 * * * * *"):
    print(f"{text}: {', '.join(str(run) for run in cron.next_runs(text, 2, now))}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "0 12 1 1 *: 2027-01-01 12:00:00, 2028-01-01 12:00:00
0 0 12 1 1 ? 2030: 2027-01-01 12:00:00, 2028-01-01 12:00:00
0 0 12 1 1 ? 2025: 2027-01-01 12:00:00, 2028-01-01 12:00:00
*/10 * * * * *: 2026-01-15 10:08:00, 2026-01-15 10:09:00
45 * * * * *: 2026-01-15 10:08:00, 2026-01-15 10:09:00" ] || { echo "changed" >&2; exit 1; }
