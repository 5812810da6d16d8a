#!/usr/bin/env bash
# philiprehberger-duration 0.4.0 (PyPI): -90 is written as "-1w 6d 23h 58m 30s", and that is read as two weeks.
#
# Guess: a negative number of seconds has one sign, "-1m 30s", as its timedeltas "are preserved" if negative, or is an error; parse reads what format
#   wrote, in each of the styles.
# Seen: -90 is parted as a week back and 6 days, 23 hours and so on forward. parse looks for numbers with units anywhere in the text, passes over the
#   sign and adds all up: 1209510 seconds. In the colon style it is -1d 23:58:30, read as a day, and in the ISO style P-1DT23H58M30S,
#   which parse refuses. The ISO style leaves microseconds out, though its seconds may have a fraction: 0.0005 is PT0S, 1.0005 is PT1S.
# Source: philiprehberger_duration/__init__.py: _decompose with // and %, _PARSE_PATTERN.findall, _format_iso without us.
# Output seen: "90: 1m 30s read 90.0, 0:01:30 read 90.0, PT1M30S read 90.0", "-90: -1w 6d 23h 58m 30s read 1209510.0, -1d 23:58:30 read 86400.0, P-1DT23H58M30S read refused", "0.0005: 500us read 0.0005, 0:00:00 read 0.0, PT0S read 0.0", "1.0005: 1s 500us read 1.0005, 0:00:01 read 1.0, PT1S read 1.0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v philiprehberger-duration==0.4.0 || exit 2
cat >run.py <<'PY'
from philiprehberger_duration import format, parse


def read(text):
    try:
        return parse(text)
    except ValueError:
        return "refused"


for seconds in (90, -90, 0.0005, 1.0005):
    print(f"{seconds}:", ", ".join(f"{text} read {read(text)}" for text in (format(seconds, style=style) for style in ("short", "colon", "iso"))))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "90: 1m 30s read 90.0, 0:01:30 read 90.0, PT1M30S read 90.0
-90: -1w 6d 23h 58m 30s read 1209510.0, -1d 23:58:30 read 86400.0, P-1DT23H58M30S read refused
0.0005: 500us read 0.0005, 0:00:00 read 0.0, PT0S read 0.0
1.0005: 1s 500us read 1.0005, 0:00:01 read 1.0, PT1S read 1.0" ] || { echo "changed" >&2; exit 1; }
