#!/usr/bin/env bash
# spacepackets 0.32.0 (PyPI): later = stamp + timedelta makes stamp later too, and a sum that is midnight is written as millisecond 86400000 of the day before.
#
# Guess: a + b leaves a as it was, as with datetime, and the milliseconds of a day are 0 to 86399999 (CCSDS 301.0-B §3.3), so that the sum is day
#   24001, 0.
# Seen: __add__ changes the object itself and returns it, though stamps have a hash and may be keys. A day more is counted only if the sum is above
#   86400000, not at it: equal times are not equal, and other readers refuse or misread the field.
# Source: spacepackets/ccsds/time/cds.py, CdsShortTimestamp.__add__.
# Output seen: "later: 24000 86400000 405dc005265c00", "stamp: 24000 86400000", "later is midnight: False 2023-09-18 00:00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v spacepackets==0.32.0 deprecation==2.1.0 packaging==24.2 || exit 2
cat >run.py <<'PY'
from datetime import timedelta
from spacepackets.ccsds.time import CdsShortTimestamp

stamp = CdsShortTimestamp(24000, 86399000)
later = stamp + timedelta(seconds=1)
print("later:", later.ccsds_days, later.ms_of_day, later.pack().hex())
print("stamp:", stamp.ccsds_days, stamp.ms_of_day)
print("later is midnight:", later == CdsShortTimestamp(24001, 0), f"{later.as_datetime():%Y-%m-%d %H:%M}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "later: 24000 86400000 405dc005265c00
stamp: 24000 86400000
later is midnight: False 2023-09-18 00:00" ] || { echo "changed" >&2; exit 1; }
