#!/usr/bin/env bash
# duration 1.1.1 (PyPI): "00:00:00" cannot be turned into seconds, the number 0 and a timedelta of 0 can.
#
# Guess: 00:00:00 is the duration 0, as it is for to_timedelta and to_tuple of the same package and as to_seconds(timedelta(0)) is 0; a call that was
#   not answered has it.
# Seen: to_seconds and to_iso8601 raise "No hours, minutes or seconds found" for a text or a tuple of zeros: whether all three are missing is asked of
#   their values. A table of durations fails at its first zero.
# Source: duration/__init__.py, to_seconds: if not (hours or minutes or seconds).
# Output seen: "'00:00:01' | 1 | PT01S | 0:00:01 | (0, 0, 1)", "'00:00:00' | ValueError (No hours, minutes or seconds found) | ValueError (No hours, minutes or seconds found) | 0:00:00 | (0, 0, 0)", "'00:00' | ValueError (No hours, minutes or seconds found) | ValueError (No hours, minutes or seconds found) | 0:00:00 | (0, 0, 0)", "(0, 0, 0) | ValueError (No hours, minutes or seconds found) | ValueError (No hours, minutes or seconds found) | 0:00:00 | (0, 0, 0)", "0 | 0 | PT00S | 0:00:00 | (0, 0, 0)", "datetime.timedelta(0) | 0 | PT00S | 0:00:00 | (0, 0, 0)"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v duration==1.1.1 || exit 2
cat >run.py <<'PY'
from datetime import timedelta
import duration

for value in ("00:00:01", "00:00:00", "00:00", (0, 0, 0), 0, timedelta(0)):
    seen = []
    for name in ("to_seconds", "to_iso8601", "to_timedelta", "to_tuple"):
        try:
            seen.append(str(getattr(duration, name)(value)))
        except ValueError as error:
            seen.append(f"ValueError ({error})")
    print(repr(value), *seen, sep=" | ")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "'00:00:01' | 1 | PT01S | 0:00:01 | (0, 0, 1)
'00:00:00' | ValueError (No hours, minutes or seconds found) | ValueError (No hours, minutes or seconds found) | 0:00:00 | (0, 0, 0)
'00:00' | ValueError (No hours, minutes or seconds found) | ValueError (No hours, minutes or seconds found) | 0:00:00 | (0, 0, 0)
(0, 0, 0) | ValueError (No hours, minutes or seconds found) | ValueError (No hours, minutes or seconds found) | 0:00:00 | (0, 0, 0)
0 | 0 | PT00S | 0:00:00 | (0, 0, 0)
datetime.timedelta(0) | 0 | PT00S | 0:00:00 | (0, 0, 0)" ] || { echo "changed" >&2; exit 1; }
