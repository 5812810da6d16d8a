#!/usr/bin/env bash
# durationpy 0.11 (PyPI): a duration from one second on is written with six digits of seconds; the rest is gone.
#
# Guess: to_str writes a timedelta in Go's notation ("59.123456s") and from_str gives the same timedelta back; both know microseconds.
# Seen: the seconds are printed with six significant digits: 59.123456 s is "59.1235s", 12 s and 4 µs are "12s". Below one second
#   each unit is written apart and nothing is lost, so that a list of round-trip times is exact for the short ones and off by
#   up to 50 µs for the long ones.
# Who cares: clients of Kubernetes (its Python client brings the package), and those who keep timers or delays in Go's notation.
# Source: durationpy/duration.py, _to_str_large: "{:g}s".
# Output seen: "0.123456: 123ms456us, back exactly", "59.123456: 59.1235s, back 44 us off", "12.000004: 12s, back -4 us off"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v durationpy==0.11 || exit 2
cat >run.py <<'PY'
import datetime
import durationpy

microsecond = datetime.timedelta(microseconds=1)
for seconds in (0.123456, 59.123456, 12.000004, 3661.000004):
    whole = datetime.timedelta(seconds=seconds)
    text = durationpy.to_str(whole)
    off = (durationpy.from_str(text) - whole) // microsecond
    print(f"{seconds}: {text}, back {f'{off} us off' if off else 'exactly'}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "0.123456: 123ms456us, back exactly
59.123456: 59.1235s, back 44 us off
12.000004: 12s, back -4 us off
3661.000004: 1h1m1s, back -4 us off" ] || { echo "changed" >&2; exit 1; }
