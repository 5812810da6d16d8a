#!/usr/bin/env bash
# timedisplay 0.9.6 (PyPI): 4.35 seconds are "4s 349ms", 1.001 are "1s 999μs" and -5 are "23h 59mn 55s".
#
# Guess: a duration of whole milliseconds is shown as such, 4s 350ms and 1s 1ms; a negative one has a sign or is an error; none is 0.
# Seen: the fractions are split off one by one with floating point and cut: two of five durations of whole milliseconds up to ten seconds are shown
#   short by one, or with 999 microseconds. What is below zero is divided with a positive remainder and ends up as the rest of the day before, whose day,
#   -1, is not shown. 0 is an empty text.
# Source: timedisplay/timedisplay.py, duration_split, and nb_days > 0 in duration_format.
# Output seen: "123.456789: '2mn 3s 456ms 789μs'", "4.25: '4s 250ms'", "4.35: '4s 349ms'", "1.001: '1s 999μs'", "0: ''", "-5: '23h 59mn 55s'", "other than their milliseconds: 3986 of 10000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v timedisplay==0.9.6 || exit 2
cat >run.py <<'PY'
from timedisplay import duration_format

for duration in (123.456789, 4.25, 4.35, 1.001, 0, -5):
    print(f"{duration}: {duration_format(duration)!r}")
wrong = 0
for n in range(1, 10001):
    seconds, milliseconds = divmod(n, 1000)
    wrong += duration_format(n / 1000) != " ".join([f"{seconds}s"] * (seconds > 0) + [f"{milliseconds}ms"] * (milliseconds > 0))
print(f"other than their milliseconds: {wrong} of 10000")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "123.456789: '2mn 3s 456ms 789μs'
4.25: '4s 250ms'
4.35: '4s 349ms'
1.001: '1s 999μs'
0: ''
-5: '23h 59mn 55s'
other than their milliseconds: 3986 of 10000" ] || { echo "changed" >&2; exit 1; }
