#!/usr/bin/env bash
# syslog-rfc5424-formatter 1.2.3 (PyPI): in London or Lisbon the time of every message of the summer is an hour ahead, with a "Z" behind it.
#
# Guess: "full RFC 5424 compliancy (with corrected TZ format)": a record of 12:00 universal time is 13:00:00+01:00 or 12:00:00Z where summer time is one
#   hour ahead of universal time.
# Seen: the local time is taken, and whether it needs an offset is asked of Python's time.timezone, which is that of the winter: 0. So "Z" goes
#   behind the time of the summer, 13:00:00Z, an hour in the future for each receiver. In Paris, an hour ahead in winter, the summer is right.
# Source: syslog_rfc5424_formatter/__init__.py, format ("if time.timezone and tz"). time.timezone is the offset of the zone without summer time (Python's
#   documentation). Shown is a record of July; the output does not depend on the day the script is run.
# Output seen: "2026-01-01T12:00:00+00:00 in London: 2026-01-01T12:00:00Z", "2026-07-01T12:00:00+00:00 in London: 2026-07-01T13:00:00Z"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v syslog-rfc5424-formatter==1.2.3 || exit 2
cat >run.py <<'PY'
import logging
import os
import time
from datetime import datetime, timezone

os.environ["TZ"] = "GMT0BST,M3.5.0/1,M10.5.0"
time.tzset()
from syslog_rfc5424_formatter import RFC5424Formatter

for month in 1, 7:
    moment = datetime(2026, month, 1, 12, tzinfo=timezone.utc)
    record = logging.LogRecord("sctpd", logging.INFO, "", 0, "path up", (), None)
    record.created = moment.timestamp()
    print(f"{moment.isoformat()} in London: {RFC5424Formatter().format(record).split()[1]}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "2026-01-01T12:00:00+00:00 in London: 2026-01-01T12:00:00Z
2026-07-01T12:00:00+00:00 in London: 2026-07-01T13:00:00Z" ] || { echo "changed" >&2; exit 1; }
