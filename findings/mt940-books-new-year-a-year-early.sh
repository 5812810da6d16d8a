#!/usr/bin/env bash
# mt940 0.8.1 (PyPI): an entry with the value date 31 December that was booked on 2 January is booked in the year that has just ended.
#
# Guess: the entry date in field 61 is month and day only, and belongs to the statement (SWIFT, MT 940, field 61, subfield 2): next to the value date,
#   and so after 251231 the day 0102 is in 2026.
# Seen: the year of the value date is put before it, so that the booking is 363 days before the value. Value dates of January with a booking of December
#   come out in the coming December. Sums by booking month put them in the wrong year.
# Source: mt940/__init__.py, MT940._get_transaction (group('date')[:2] + group('booking')).
# Output seen: "value 2025-12-31, booked 2025-01-02", "value 2026-01-02, booked 2026-12-31"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v mt940==0.8.1 || exit 2
cat >run.py <<'PY'
from io import StringIO

from mt940 import MT940

statement = """:20:S1
:25:123456
:28C:1/1
:60F:C251230EUR100,00
:61:2512310102D10,00NMSCNONREF
:61:2601021231D10,00NMSCNONREF
:62F:C260102EUR80,00
-"""
for entry in MT940(StringIO(statement)).statements[0].transactions:
    print(f"value {entry.date}, booked {entry.booking}")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "value 2025-12-31, booked 2025-01-02
value 2026-01-02, booked 2026-12-31" ] || { echo "changed" >&2; exit 1; }
