#!/usr/bin/env bash
# pyhocon 0.3.63 (PyPI): "36 hours" is written back as 12 hours, "1500 ms" as 1 second and "1 month" as none; "0.5 s" is no duration.
#
# Guess: HOCONConverter.to_hocon writes a duration that it has read so that it has the same length when it is read again. A fraction of a
#   unit is a duration as well: HOCON has "a number" there.
# Seen: the writer takes the first unit that is not zero, hours before minutes before days before seconds, and drops the rest. The reader
#   makes a day of 24 hours and a minute of 60 s, so that any length beyond a unit is cut, "61 s" to a minute. Months and years
#   are "0 seconds". JSON has whole milliseconds, 0 for 250 us. "0.5 s" stays a text, while "500 ms" is a timedelta.
# Source: pyhocon/period_serializer.py, timedelta_to_hocon; pyhocon/period_parser.py, get_period_expr: Word(nums).
# Output seen: "1500 ms: a = 1 seconds", "90 minutes: a = 1 hours", "36 hours: a = 12 hours", "61 s: a = 1 minutes", "1 month: a = 0 seconds", ..
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v pyhocon==0.3.63 python-dateutil==2.9.0.post0 >/dev/null 2>&1 || exit 2
cat >run.py <<'PY'
import json

from pyhocon import ConfigFactory, HOCONConverter

for text in ("10 s", "1500 ms", "61 s", "90 minutes", "36 hours", "1 month", "250 us", "0.5 s"):
    config = ConfigFactory.parse_string(f"a = {text}")
    print(f"{text}: {HOCONConverter.to_hocon(config)}, JSON {json.loads(HOCONConverter.to_json(config))['a']}, {type(config['a']).__name__}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "10 s: a = 10 seconds, JSON 10000, relativedelta
1500 ms: a = 1 seconds, JSON 1500, timedelta
61 s: a = 1 minutes, JSON 61000, relativedelta
90 minutes: a = 1 hours, JSON 5400000, relativedelta
36 hours: a = 12 hours, JSON 129600000, relativedelta
1 month: a = 0 seconds, JSON 0, relativedelta
250 us: a = 250 microseconds, JSON 0, relativedelta
0.5 s: a = \"0.5 s\", JSON 0.5 s, str" ] || { echo "changed" >&2; exit 1; }
