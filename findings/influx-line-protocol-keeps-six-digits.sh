#!/usr/bin/env bash
# influx-line-protocol 0.1.5 (PyPI): numbers with a fraction are written with six digits, so that a time of today is off by weeks.
#
# Guess: a float is written so that the same float is read again, as repr and json do; the format has no limit of digits below those of
#   64-bit floats.
# Seen: 1234567.89 bit/s are 1.23457e+06, and the moment 1700000000.25 is 1.7e+09; a moment of 2026 in seconds is rounded to the next
#   10000 s, and differences of such times are 0. Whole numbers are written with all digits, so that a column that is at times
#   whole and at times not jumps. line-protocol-parser 2.0.1 (PyPI) reads back what was written.
# Source: influx_line_protocol/metric.py: "%g" for floats.
# Output seen: "rate=1.23457e+06 read 1234570.0 of 1234567.89", "at=1.76757e+09 read 1767570000.0 of 1767571234.25", "at=1767571234i read 1767571234"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v influx-line-protocol==0.1.5 line-protocol-parser==2.0.1 || exit 2
cat >run.py <<'PY'
from influx_line_protocol import Metric
from line_protocol_parser import parse_line

for name, value in (("rate", 1234567.89), ("at", 1767571234.25), ("at", 1767571234)):
    metric = Metric("sctp")
    metric.add_value(name, value)
    line = str(metric)
    read = parse_line(line)["fields"][name]
    print(line.split()[1], "read", read, *([] if read == value else ["of", value]))
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "rate=1.23457e+06 read 1234570.0 of 1234567.89
at=1.76757e+09 read 1767570000.0 of 1767571234.25
at=1767571234i read 1767571234" ] || { echo "changed" >&2; exit 1; }
