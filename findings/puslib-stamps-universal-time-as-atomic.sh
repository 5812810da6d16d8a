#!/usr/bin/env bash
# puslib 0.4.0 (PyPI): each time stamp says that it counts atomic time from 1958 and is 37 seconds behind it; a count of whole seconds cannot be read.
#
# Guess: the preamble 1E says "1958 January 1 epoch", the CCSDS one, TAI (CCSDS 301.0-B-4, "CCSDS unsegmented time code", P-field, code 001): the seconds that have gone by, leap seconds
#   among them. So the stamp of a moment of 2026 is 37 more than its universal time since 1958. Where sender and receiver agree on
#   four octets without a fraction and without preamble, deserialize() is told 4 and 0 (0 to 10 octets are allowed).
# Seen: create() subtracts the dates of universal time. A receiver that takes the preamble at its word is 37 seconds in the past. A frac_unit_length of 0 is
#   taken for one that was not given: ValueError.
# Source: puslib/time.py, CucTime.create (datetime.now(timezone.utc)), from_datetime; deserialize (not (basic_unit_length and frac_unit_length)).
# Output seen: "preamble 1e, ahead of universal time by 0 s, expected 37", "4 and 2 octets: 5.5", "4 and 0 octets: ValueError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v bitstring==4.3.1 || exit 2
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v puslib==0.4.0 || exit 2
cat >run.py <<'PY'
from datetime import datetime, timezone

from puslib.time import CucTime

stamp = CucTime.create()
universal = (datetime.now(timezone.utc) - datetime(1958, 1, 1, tzinfo=timezone.utc)).total_seconds()
print(f"preamble {bytes(stamp)[:1].hex()}, ahead of universal time by {abs(round(float(stamp) - universal))} s, expected 37")
for data, fraction in ((b"\0\0\0\5\x80\0", 2), (b"\0\0\0\5", 0)):
    try:
        seen = float(CucTime.deserialize(data, has_preamble=False, basic_unit_length=4, frac_unit_length=fraction))
    except ValueError as error:
        seen = type(error).__name__
    print(f"4 and {fraction} octets: {seen}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "preamble 1e, ahead of universal time by 0 s, expected 37
4 and 2 octets: 5.5
4 and 0 octets: ValueError" ] || { echo "changed" >&2; exit 1; }
