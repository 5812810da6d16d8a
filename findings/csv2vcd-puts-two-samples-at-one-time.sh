#!/usr/bin/env bash
# csv2vcd 0.1.0 (PyPI): with its default step of one microsecond some samples get the time of the sample before.
#
# Guess: row n of the table is at n times the step: with the default step of 1e-6 seconds and the default unit of a microsecond, row 15 is at #15. In a dump
#   each time is followed by the changes at that time (IEEE 1364-2005, §18.2), and two changes of one signal at one time have no order in a viewer.
# Seen: n is multiplied by the step and by a million in floating point, and the fraction cut off: 15 becomes 14.999..., so 14. Of 1,000 rows 283 are one unit
#   early, 222 of them at the time of the row before and beside a gap: a pulse of one sample vanishes from the picture or lasts two. With nanoseconds none is.
# Source: main.py, csv_to_vcd (timestamp = int(t * timestep * time_mult)).
# Output seen: "us: #13 #14 #14 #16, 283 of 1000 rows early, 222 times twice", "ns: #13 #14 #15 #16, 0 of 1000 rows early, 0 times twice"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v csv2vcd==0.1.0 || exit 2
cat >run.py <<'PY'
import contextlib
import io

from main import csv_to_vcd

with open("rows.csv", "w") as file:
    file.writelines(f"{row % 2}\n" for row in range(1000))
for unit, step in ("us", 1e-6), ("ns", 1e-9):
    with contextlib.redirect_stdout(io.StringIO()):
        csv_to_vcd("rows.csv", "rows.vcd", ["clock"], timestep=step, time_unit=unit)
    times = [int(line[1:]) for line in open("rows.vcd") if line[0] == "#"]
    early = sum(time < row for row, time in enumerate(times))
    twice = len(times) - len(set(times))
    print(f"{unit}: {' '.join(f'#{time}' for time in times[13:17])}, {early} of {len(times)} rows early, {twice} times twice")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "us: #13 #14 #14 #16, 283 of 1000 rows early, 222 times twice
ns: #13 #14 #15 #16, 0 of 1000 rows early, 0 times twice" ] || { echo "changed" >&2; exit 1; }
