#!/usr/bin/env bash
# pyadsb 0.0.3 (PyPI): each aircraft flies to the south-west and descends, wherever it goes.
#
# Guess: of a velocity message (DO-260B, type code 19) heading() and altitude_rate() heed the three sign bits: east or west, north or south, up or
#   down. 100 knots to the east and as many to the north are 45 degrees.
# Seen: the sign is written as -1**bit. In Python the power binds closer than the minus, so that it is -1 for both values of the bit: all four
#   directions are 225 degrees, a climb of 832 feet a minute is a descent of 832. The example of the README flies to the south and
#   descends, which hides it. speed() is right, as it squares.
# Source: adsb/adsb.py, AirborneVelocities.heading and altitude_rate. Python's documentation, "The power operator": -1**2 is -1.
# Output seen: "east, north, up: heading 225, rate -832", "west, south, down: heading 225, rate -832", and so for all eight
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pyadsb==0.0.3 || exit 2
cat >run.py <<'PY'
from adsb import Adsb


def message(west, south, down):
    fields = ((17, 5), (5, 3), (0xABCDEF, 24), (19, 5), (1, 3), (0, 2), (0, 3), (west, 1), (101, 10), (south, 1), (101, 10), (0, 1), (down, 1), (14, 9), (0, 10))
    value = 0
    for field, width in fields:
        value = value << width | field
    rest = value << 24
    for place in range(rest.bit_length(), 24, -1):
        if rest >> place - 1 & 1:
            rest ^= 0x1FFF409 << place - 25
    return (value << 24 | rest).to_bytes(14, "big")


for west in 0, 1:
    for south in 0, 1:
        for down in 0, 1:
            data = Adsb.parse(message(west, south, down)).data
            name = f"{('east', 'west')[west]}, {('north', 'south')[south]}, {('up', 'down')[down]}"
            print(f"{name}: heading {data.heading():.0f}, rate {data.altitude_rate()}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "east, north, up: heading 225, rate -832
east, north, down: heading 225, rate -832
east, south, up: heading 225, rate -832
east, south, down: heading 225, rate -832
west, north, up: heading 225, rate -832
west, north, down: heading 225, rate -832
west, south, up: heading 225, rate -832
west, south, down: heading 225, rate -832" ] || { echo "changed" >&2; exit 1; }
