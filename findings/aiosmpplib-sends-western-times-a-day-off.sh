#!/usr/bin/env bash
# aiosmpplib 0.7.4 (PyPI): a time of delivery west of Greenwich is sent with a wrong offset, and each absolute time is read wrong.
#
# Guess: schedule_delivery_time and validity_period take a datetime and go out as "YYMMDDhhmmsstnnp", nn being quarters of an hour, 00 to 48
#   (SMPP v3.4 §7.1.1): 12:00 at UTC-3 is "261130120000012-". What the library writes it reads again.
# Seen: of a negative offset Python's timedelta has a day less and the rest of that day in seconds, and the library takes these seconds: UTC-3 is
#   sent as "84-", 21 hours, which a centre refuses or takes for 18 hours later. UTC+1 is right. Read are hours for quarters, so that "04+"
#   is UTC+4, and a minus of 3 hours (12) is 12 hours; the year 26 is the year 26, not 2026. Its own "84-" is a datetime that
#   cannot be printed or compared (ValueError).
# Source: aiosmpplib/protocol.py, SubmitSm.datetime_to_smpp_time (offset.seconds) and smpp_time_to_datetime; utils.py, FixedOffset.from_timezone.
# Output seen: "UTC+01:00: 261130120000004+", "UTC-03:00: 261130120000084-", "04+: 0026-11-30T12:00:00+04:00", "12-: 0026-11-30T12:00:00-12:00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v aiosmpplib==0.7.4 || exit 2
cat >run.py <<'PY'
from datetime import datetime, timedelta, timezone

from aiosmpplib.protocol import SubmitSm

for hours in 1, -3:
    moment = datetime(2026, 11, 30, 12, tzinfo=timezone(timedelta(hours=hours)))
    print(f"{moment.tzname()}: {SubmitSm.datetime_to_smpp_time(moment)}")
for end in "04+", "12-", "84-":
    moment = SubmitSm.smpp_time_to_datetime("2611301200000" + end)
    try:
        shown = moment.isoformat()
    except ValueError as error:
        shown = type(error).__name__
    print(f"{end}: {shown}")
PY
seen=$(PYTHONPATH=v python3 run.py) || exit 2
echo "$seen"
[ "$seen" = "UTC+01:00: 261130120000004+
UTC-03:00: 261130120000084-
04+: 0026-11-30T12:00:00+04:00
12-: 0026-11-30T12:00:00-12:00
84-: ValueError" ] || { echo "changed" >&2; exit 1; }
