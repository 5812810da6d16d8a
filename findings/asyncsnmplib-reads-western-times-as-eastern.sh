#!/usr/bin/env bash
# asyncsnmplib 1.0.11 (PyPI): a DateAndTime west of Greenwich is off by twice its offset, and each by the offset of the reading machine.
#
# Guess: a DateAndTime (RFC 2579 §2) becomes the second it names, counted from 1970. The example of the RFC, 1992-5-26,13:30:15.0,-4:0,
#   which stands in the function's own comment too, is 17:30:15 UTC.
# Seen: the octet for the direction is asked whether it is true; '+' and '-' both are, so that the offset is always subtracted: the example is
#   09:30:15 UTC, eight hours early. The rest goes through mktime, which takes it for the time of the machine that reads, not for
#   UTC, so that even an eastern time is right on a machine in UTC only. Times of alarms of one agent differ between two managers.
# Source: asyncsnmplib/mib/syntax_funs.py, DateAndTime: "if value[8]" and time.mktime.
# Output seen: "UTC0: +2:0 11:30:15, -4:0 09:30:15", "JST-9: +2:0 02:30:15, -4:0 00:30:15"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v asyncsnmplib==1.0.11 || exit 2
cat >run.py <<'PY'
import os
from datetime import datetime, timezone

from asyncsnmplib.mib.syntax_funs import DateAndTime

shown = []
for direction, hours in ("+", 2), ("-", 4):
    octets = (1992).to_bytes(2, "big") + bytes((5, 26, 13, 30, 15, 0, ord(direction), hours, 0))
    moment = datetime.fromtimestamp(DateAndTime(octets), timezone.utc)
    shown.append(f"{direction}{hours}:0 {moment:%H:%M:%S}")
print(f"{os.environ['TZ']}: {', '.join(shown)}")
PY
seen=$(for zone in UTC0 JST-9; do TZ=$zone PYTHONPATH=v python3 run.py; done) || exit 2
echo "$seen"
[ "$seen" = "UTC0: +2:0 11:30:15, -4:0 09:30:15
JST-9: +2:0 02:30:15, -4:0 00:30:15" ] || { echo "changed" >&2; exit 1; }
