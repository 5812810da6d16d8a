#!/usr/bin/env bash
# philiprehberger-duration 0.4.0 (PyPI): ".5s" and "-5s" are five seconds, and -5 s comes back as two weeks.
#
# Guess: `parse` takes ".5s" as half a second and "-5s" as a negative duration, or raises the ValueError that it documents for a string that
#   cannot be parsed. What `format` writes `parse` reads again; microseconds, which both know, are kept in each style.
# Seen: `parse` searches for pairs of a number and a unit and passes over all other characters: a point or comma without a digit in front,
#   a minus, Go's "µ" (U+00B5), so that the rest counts. `format` divides rounding down, so that -5 s is a week ahead in days and hours:
#   parsed, which drops the one sign, it is 1209595 s. The ISO style leaves microseconds out: a delay of 500 µs is PT0S.
# Who cares: offsets of clocks, differences of delays and jitter are negative, or a fraction of a second, half of the time.
# Source: philiprehberger_duration/__init__.py, parse (_PARSE_PATTERN.findall), _decompose (// of negatives), _format_iso.
# Output seen: ".5s: 5.0", "-5s: 5.0", "-PT5S: 5.0", "1 000 ms: 0.0", "2ms 5µs: 0.002", "-5 s: -1w 6d 23h 59m 55s, parsed 1209595.0", "500 µs: PT0S"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v philiprehberger-duration==0.4.0 || exit 2
cat >run.py <<'PY'
from philiprehberger_duration import format, parse

for text in ("0.5s", ".5s", "-5s", "-PT5S", "1 000 ms", "2ms 5\u00b5s"):
    print(f"{text}: {parse(text)}")
print(f"-5 s: {format(-5)}, parsed {parse(format(-5))}")
print(f"500 µs: {format(0.0005)}, {format(0.0005, style='iso')}")
PY
seen=$(PYTHONUTF8=1 PYTHONPATH=v python3 run.py) || exit 2
echo "$seen"
[ "$seen" = "0.5s: 0.5
.5s: 5.0
-5s: 5.0
-PT5S: 5.0
1 000 ms: 0.0
2ms 5µs: 0.002
-5 s: -1w 6d 23h 59m 55s, parsed 1209595.0
500 µs: 500us, PT0S" ] || { echo "changed" >&2; exit 1; }
