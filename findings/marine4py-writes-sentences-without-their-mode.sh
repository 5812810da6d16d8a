#!/usr/bin/env bash
# marine4py 1.0.2 (PyPI): a position that was estimated, read and written again, is a plain one, and times lose their milliseconds.
#
# Guess: what is parsed and rendered is the same sentence; fields behind those that are known are kept, as the raw fields are kept in the object. RMC
#   has a mode since NMEA 0183 version 2.3 (E: estimated, D: differential) and a status of navigation since 4.1.
# Seen: only the fields of the table are written, and the table of RMC ends with the variation. The mode is gone, with a new and right checksum: who
#   listens behind a relay takes dead reckoning for a fix of old equipment. Of a time hundredths are written, cut and not rounded.
# Source: marine4py/core/nmea.py, NMEASentence.render; dialects/nmea/gps_sentences.py, RMC; dialects/utils.py, render_time.
# Output seen: "GPRMC,120000.00,A,4807.038,N,01131.000,E,22.4,84.4,230326,3.1,W: $GPRMC,120000.00,A,4807.038,N,01131.000,E,22.4,84.4,230326,3.1,W*43", "GPRMC,120000.999,A,4807.038,N,01131.000,E,22.4,84.4,230326,3.1,W,E,C: $GPRMC,120000.99,A,4807.038,N,01131.000,E,22.4,84.4,230326,3.1,W*43"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v marine4py==1.0.2 || exit 2
cat >run.py <<'PY'
from functools import reduce
from operator import xor

from marine4py import parse


def sentence(body):
    return f"${body}*{reduce(xor, body.encode()):02X}"


for body in "GPRMC,120000.00,A,4807.038,N,01131.000,E,22.4,84.4,230326,3.1,W", "GPRMC,120000.999,A,4807.038,N,01131.000,E,22.4,84.4,230326,3.1,W,E,C":
    print(f"{body}: {parse(sentence(body), dialect='nmea').render().strip()}")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = 'GPRMC,120000.00,A,4807.038,N,01131.000,E,22.4,84.4,230326,3.1,W: $GPRMC,120000.00,A,4807.038,N,01131.000,E,22.4,84.4,230326,3.1,W*43
GPRMC,120000.999,A,4807.038,N,01131.000,E,22.4,84.4,230326,3.1,W,E,C: $GPRMC,120000.99,A,4807.038,N,01131.000,E,22.4,84.4,230326,3.1,W*43' ] || { echo "changed" >&2; exit 1; }
