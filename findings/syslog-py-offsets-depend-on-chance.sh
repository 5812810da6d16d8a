#!/usr/bin/env bash
# syslog-py 0.2.5 (PyPI): on a host on universal time one and the same timestamp is sent with "Z" or, by chance, with "+2300".
#
# Guess: a timestamp given to log() goes out with the host's offset from universal time, as RFC 5424, §6.2.3, asks: "Z" or "+hh:mm", the same each time.
# Seen: the offset is the difference between two readings of the clock, local time first and universal time behind it. If a microsecond passes
#   between them, it is a microsecond too small, and the hours are cut off: universal time becomes "+2300", Berlin in winter "+0000". West of Greenwich the
#   days of the difference are left out: New York is "+1900" or "+1800". The colon is missing, which RFC 3339 wants.
# Source: pysyslogclient/__init__.py, datetime2rfc3339 (datetime.now(), datetime.utcnow(), seconds / 60 / 60, "%.2d").
# Output seen: "UTC: ['+2300', 'Z']", "five hours west: ['+1800', '+1900']", "one hour east: ['+0000', '+0100']"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v syslog-py==0.2.5 2>/dev/null || exit 2
cat >run.py <<'PY'
import os
import time
from datetime import datetime

from pysyslogclient import datetime2rfc3339

MOMENT = datetime(2026, 1, 2, 12, 0, 0, 250000)
START = "2026-01-02T12:00:00.250000"
for name, zone in ("UTC", "UTC0"), ("five hours west", "EST5"), ("one hour east", "CET-1"):
    os.environ["TZ"] = zone
    time.tzset()
    texts = {datetime2rfc3339(MOMENT) for _ in range(100000)}
    print(f"{name}: {sorted(text.removeprefix(START) for text in texts)}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "UTC: ['+2300', 'Z']
five hours west: ['+1800', '+1900']
one hour east: ['+0000', '+0100']" ] || { echo "changed" >&2; exit 1; }
