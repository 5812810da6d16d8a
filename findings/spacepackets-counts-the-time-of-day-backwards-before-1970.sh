#!/usr/bin/env bash
# spacepackets 0.32.0 (PyPI): a CDS stamp of day 0, 01:00 is 1957-12-31 23:00; before 1970 the time of the day is subtracted.
#
# Guess: a stamp is days since 1958-01-01 and milliseconds of the day (CCSDS 301.0-B §3.3); as spacecraft without the time yet count from 0, such
#   stamps occur: day 0, 01:00 is 1958-01-01 01:00, and later milliseconds are later times.
# Seen: where the seconds since 1970 are negative, the seconds of the day are taken from them instead of added: 12:00 lies half a day before 00:00 of
#   its day, and a clock that runs on goes back in time, until it jumps by two days at midnight. From day 4383 on all is right.
# Source: spacepackets/ccsds/time/cds.py, CdsShortTimestamp._calculate_unix_seconds.
# Output seen: "day 0, 00:00: 1958-01-01 00:00", "day 0, 01:00: 1957-12-31 23:00", "day 0, 23:00: 1957-12-31 01:00", "day 1, 00:00: 1958-01-02 00:00", "day 4382, 12:00: 1969-12-30 12:00", "day 4383, 12:00: 1970-01-01 12:00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v spacepackets==0.32.0 deprecation==2.1.0 packaging==24.2 || exit 2
cat >run.py <<'PY'
from spacepackets.ccsds.time import CdsShortTimestamp

for days, hours in ((0, 0), (0, 1), (0, 23), (1, 0), (4382, 12), (4383, 12)):
    stamp = CdsShortTimestamp.unpack(CdsShortTimestamp(days, hours * 3600000).pack())
    print(f"day {days}, {hours:02}:00: {stamp.as_datetime():%Y-%m-%d %H:%M}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "day 0, 00:00: 1958-01-01 00:00
day 0, 01:00: 1957-12-31 23:00
day 0, 23:00: 1957-12-31 01:00
day 1, 00:00: 1958-01-02 00:00
day 4382, 12:00: 1969-12-30 12:00
day 4383, 12:00: 1970-01-01 12:00" ] || { echo "changed" >&2; exit 1; }
