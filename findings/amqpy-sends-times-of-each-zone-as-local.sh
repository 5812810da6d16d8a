#!/usr/bin/env bash
# amqpy 0.13.1 (PyPI): a time with a zone is sent as if its hours were those of the machine's zone, nine hours off in Tokyo.
#
# Guess: a datetime that knows its zone names one moment, and that is the number of seconds which AMQP wants (0-9-1, §4.2.5.4: "POSIX time_t", that is, UTC); what
#   datetime.now(timezone.utc) gives, and what most programs put into a message's timestamp, is right everywhere.
# Seen: the fields are taken without the zone and counted as local time: 12:00 UTC and 12:00 in New York are the same number, and neither is right unless the
#   machine is in that zone. On a server that runs in UTC, as most tests do, UTC is right. What is read is a local time without a
#   zone, as documented; if it is sent on as it is, it is right.
# Source: amqpy/serialization.py, AMQPWriter.write_timestamp (mktime(v.timetuple())).
# Output seen: "machine in UTC: 12:00 UTC off by 0 h, 12:00 -05:00 off by -5 h", "machine in Tokyo: 12:00 UTC off by -9 h, 12:00 -05:00 off by -14 h"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v amqpy==0.13.1 || exit 2
cat >run.py <<'PY'
import os
import time
from datetime import datetime, timedelta, timezone
from amqpy.serialization import AMQPWriter

def off(moment):
    writer = AMQPWriter()
    writer.write_timestamp(moment)
    return round((int.from_bytes(writer.getvalue(), "big") - moment.timestamp()) / 3600)

noon = datetime(2026, 12, 1, 12, tzinfo=timezone.utc)
other = noon.replace(tzinfo=timezone(timedelta(hours=-5)))
for name, zone in ("UTC", "UTC0"), ("Tokyo", "JST-9"):
    os.environ["TZ"] = zone
    time.tzset()
    print(f"machine in {name}: 12:00 UTC off by {off(noon)} h, 12:00 -05:00 off by {off(other)} h")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "machine in UTC: 12:00 UTC off by 0 h, 12:00 -05:00 off by -5 h
machine in Tokyo: 12:00 UTC off by -9 h, 12:00 -05:00 off by -14 h" ] || { echo "changed" >&2; exit 1; }
