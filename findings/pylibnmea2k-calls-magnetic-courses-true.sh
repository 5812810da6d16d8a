#!/usr/bin/env bash
# pylibnmea2k 0.2.4 (PyPI): the heading of a compass and a magnetic course are handed on as true ones.
#
# Guess: whether a heading (PGN 127250) or a course (PGN 129026) is true or magnetic is said by the reference in the message, two bits: 0 true, 1 magnetic.
#   "degrees true, 0-360" as the classes have it means that a magnetic one is converted with the variation of the same message, or not
#   handed on, or marked. Wind and current have a field "reference" here.
# Seen: the bits are not looked at. Of one heading, once true and once magnetic with 5 degrees of variation, the results are equal. Nothing in them tells
#   which it was.
# Source: pylibnmea2k/__init__.py, _heading ("<BH", the rest is not read), _cog_sog (the octet with the reference is skipped), Heading.hdg_deg, CogSog.cog_deg.
# Output seen: "heading, true: 90.0", "heading, magnetic, variation 5.0 E: 90.0, equal: True", "course, magnetic: 90.0, equal: True", "current: reference 1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pylibnmea2k==0.2.4 || exit 2
cat >run.py <<'PY'
import struct

import pylibnmea2k

RIGHT_ANGLE, FIVE = 15708, 873


def decode(pgn, data):
    return pylibnmea2k.decode(f"12:00:00.000 R {2 << 26 | pgn << 8 | 0x23:08X} {data.hex(' ')}")


headings = [decode(127250, struct.pack("<BHhhB", 1, RIGHT_ANGLE, 0x7FFF, FIVE, 0xFC | reference)) for reference in (0, 1)]
print(f"heading, true: {headings[0].hdg_deg:.1f}")
print(f"heading, magnetic, variation 5.0 E: {headings[1].hdg_deg:.1f}, equal: {headings[0] == headings[1]}")
courses = [decode(129026, struct.pack("<BBHHH", 1, 0xFC | reference, RIGHT_ANGLE, 500, 0xFFFF)) for reference in (0, 1)]
print(f"course, magnetic: {courses[1].cog_deg:.1f}, equal: {courses[0] == courses[1]}")
print(f"current: reference {decode(129291, struct.pack('<BBHHH', 1, 0xFC | 1, RIGHT_ANGLE, 100, 0xFFFF)).reference}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "heading, true: 90.0
heading, magnetic, variation 5.0 E: 90.0, equal: True
course, magnetic: 90.0, equal: True
current: reference 1" ] || { echo "changed" >&2; exit 1; }
