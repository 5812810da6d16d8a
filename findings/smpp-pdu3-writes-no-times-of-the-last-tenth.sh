#!/usr/bin/env bash
# smpp.pdu3 0.6 (PyPI): one time in ten cannot be written, namely those in the last tenth of a second.
#
# Guess: each datetime is an absolute time of SMPP (§7.1.1: YYMMDDhhmmsstnnp); t holds whole tenths, so that finer parts are cut, as
#   they are for 0.55 s, and a schedule_delivery_time or validity_period from datetime.now() plus an hour can be sent.
# Seen: from 0.900001 s on the tenths, 9.00001, are "more than 9" and the PDU is a ValueError. A test with whole seconds, or one run
#   out of ten, shows nothing. And a time in UTC comes back without a zone, one an hour east with its zone, so that two times
#   of one session cannot be compared.
# Source: smpp/pdu/smpp_time.py: microsecond / (100 * 1000) was a whole number in Python 2; unparse_t asks for t > 9.
# Output seen: "0 us: 260101120000000+", "550000 us: 260101120000500+", "950000 us: ValueError", "UTC: None", "UTC+1: 1:00:00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v smpp.pdu3==0.6 || exit 2
cat >run.py <<'PY'
import contextlib
import datetime
from smpp.pdu import smpp_time

for part in (0, 550_000, 950_000):
    try:
        print(f"{part} us:", smpp_time.unparse(datetime.datetime(2026, 1, 1, 12, microsecond=part)).decode())
    except ValueError as error:
        print(f"{part} us:", type(error).__name__)
for name, hours in (("UTC", 0), ("UTC+1", 1)):
    zone = datetime.timezone(datetime.timedelta(hours=hours))
    text = smpp_time.unparse(datetime.datetime(2026, 1, 1, 12, tzinfo=zone))
    with contextlib.redirect_stdout(None):  # prints the sign of the zone
        read = smpp_time.parse(text)
    print(f"{name}:", read.utcoffset())
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "0 us: 260101120000000+
550000 us: 260101120000500+
950000 us: ValueError
UTC: None
UTC+1: 1:00:00" ] || { echo "changed" >&2; exit 1; }
