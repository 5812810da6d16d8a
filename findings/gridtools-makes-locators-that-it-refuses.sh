#!/usr/bin/env bash
# gridtools 1.0.0.post1 (PyPI): the locator of the date line is in the field S, which there is not, and 33 degrees 20 minutes are in the square before.
#
# Guess: the fields of the Maidenhead locator are A to R; 180 degrees east is the meridian of 180 degrees west, or belongs to the last field, as all
#   longitudes up to 180 are accepted. What Grid makes it can read.
# Seen: 180 degrees give "SJ00...", the pole "JS...", which check_grid calls invalid. On borders of the subsquares floating point decides: 8 of the 24
#   western borders in a square fall into the subsquare before, at its eastern end.
# Source: gridtools/gridtools.py, Grid.__calc_grid (chr(FLD_ZERO + int(lon // FLD_LON)); "%" and "//" by 5 / 60).
# Output seen: "0 179.99: RJ90xa80, valid True", "0 180: SJ00aa00, valid False", "90 0: JS00aa00, valid False", "borders in the subsquare before: 8 10' JJ00ba92 25' JJ00ea92 40' JJ00ha92 55' JJ00ka92"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v gridtools==1.0.0.post1 || exit 2
cat >run.py <<'PY'
from gridtools import Grid, LatLong, check_grid

for place in LatLong(0, 179.99), LatLong(0, 180), LatLong(90, 0):
    name = Grid(place).grid
    print(f"{place.lat:g} {place.long:g}: {name}, valid {check_grid(name)}")
wrong = []
for border in range(24):
    name = Grid(LatLong(0.01, border * 5 / 60)).grid
    if name[4] != "abcdefghijklmnopqrstuvwx"[border]:
        wrong.append(f"{border * 5}' {name}")
print(f"borders in the subsquare before: {len(wrong)}", *wrong[:4])
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "0 179.99: RJ90xa80, valid True
0 180: SJ00aa00, valid False
90 0: JS00aa00, valid False
borders in the subsquare before: 8 10' JJ00ba92 25' JJ00ea92 40' JJ00ha92 55' JJ00ka92" ] || { echo "changed" >&2; exit 1; }
