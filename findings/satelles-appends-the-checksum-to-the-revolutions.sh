#!/usr/bin/env bash
# satelles 0.32.0 (PyPI): the checksum of each line of a two-line element set is read as the last digit of the number before it.
#
# Guess: columns 64 to 68 of the second line are the number of revolutions, 65 to 68 of the first the number of the set, and column 69 of both is a checksum (the
#   format as Space-Track and CelesTrak describe it): 56353 revolutions, set 292.
# Seen: 563537 revolutions and set 2927. The numbers of one satellite no longer grow evenly, since the last digit is that of a sum. The checksum is not compared with anything.
# Source: satelles/tle.py, line1_regex ("(?P<set>\d+)$"), line2_regex ("(?P<number_of_revolutions>\d+)$"). README: "Fully supported Two-Line Element (TLE) parsing".
# Output seen: "25544: set 2927, expected 292, revolutions 563537, expected 56353"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v satelles==0.32.0 2>/dev/null || exit 2
cat >run.py <<'PY'
from satelles import TLE


def line(text):
    return text + str(sum(int(letter) if letter.isdigit() else letter == "-" for letter in text) % 10)


def read(number):
    first = line(f"1 {number}U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  292")
    second = line(f"2 {number}  51.6416 247.4627 0006703 130.5360 325.0288 15.7212539156353")
    assert len(first) == len(second) == 69
    return TLE(f"{first}\n{second}")


station = read("25544")
print(f"{station.id}: set {station.set}, expected 292, revolutions {station.number_of_revolutions}, expected 56353")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "25544: set 2927, expected 292, revolutions 563537, expected 56353" ] || { echo "changed" >&2; exit 1; }
