#!/usr/bin/env bash
# nmeatoolkit 0.2 (PyPI): SeaTalk sentences with depth, wind angle or water temperature pass as they are, and a heading of 113 degrees is 112.
#
# Guess: SeatalkPipe turns $STALK into native sentences, as its README has it: 00 02 00 64 00 is a depth of 10.0 feet, 10 01 00 5A an angle of 45 degrees,
#   27 01 2C 01 a water of 20 degrees, and 9C 51 0B 00 a heading of 90 + 22 + 1, for one bit that is set of the two (SeaTalk Technical
#   Reference, part 2).
# Seen: the sentence is split at its commas with the checksum, so that the last octet is "00*6D", no hexadecimal number; the error is caught and the
#   sentence handed on as it came. The three end with the octet that is needed. Wind speed has it in front. The heading is looked for in lower case alone
#   and adds u & 2 instead of the bits' number.
# Source: nmeatoolkit/pipes/seatalk.py, transform: str(sentence).split(",") with the checksum, except: pass; (u & (2 if 0xC == 0xC else 1)).
# Output seen: "depth: $STALK,00,02,00,64,00*6D becomes $STALK,00,02,00,64,00*6D", "wind angle: $STALK,10,01,00,5A*35 becomes $STALK,10,01,00,5A*35", "wind speed: $STALK,11,01,0C,05*36 becomes $IIMWV,0,R,12.5,k,A*30", "water: $STALK,27,01,2C,01*35 becomes $STALK,27,01,2C,01*35", "heading: $STALK,9C,51,0B,00*4D becomes $STALK,9C,51,0B,00*4D", "heading in lower case: $STALK,9c,51,0b,00*4D becomes $IIHDM,112,M*3E"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v nmeatoolkit==0.2 pynmea2==1.19.0 || exit 2
cat >run.py <<'PY'
import functools
import pynmea2
from nmeatoolkit.pipes.seatalk import SeatalkPipe

pipe = SeatalkPipe()
for name, text in (("depth", "STALK,00,02,00,64,00"), ("wind angle", "STALK,10,01,00,5A"), ("wind speed", "STALK,11,01,0C,05"), ("water", "STALK,27,01,2C,01"), ("heading", "STALK,9C,51,0B,00"), ("heading in lower case", "STALK,9c,51,0b,00")):
    sentence = pynmea2.parse(f"${text}*{functools.reduce(lambda a, b: a ^ ord(b), text, 0):02X}")
    print(f"{name}: {sentence} becomes {pipe.transform(sentence)[0]}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "depth: \$STALK,00,02,00,64,00*6D becomes \$STALK,00,02,00,64,00*6D
wind angle: \$STALK,10,01,00,5A*35 becomes \$STALK,10,01,00,5A*35
wind speed: \$STALK,11,01,0C,05*36 becomes \$IIMWV,0,R,12.5,k,A*30
water: \$STALK,27,01,2C,01*35 becomes \$STALK,27,01,2C,01*35
heading: \$STALK,9C,51,0B,00*4D becomes \$STALK,9C,51,0B,00*4D
heading in lower case: \$STALK,9c,51,0b,00*4D becomes \$IIHDM,112,M*3E" ] || { echo "changed" >&2; exit 1; }
