#!/usr/bin/env bash
# metar-decoder 1.0.2 (PyPI): a visibility of 1/2 mile is two miles, one of 3/4 four.
#
# Guess: 1/2SM is half a mile (Federal Meteorological Handbook No. 1, §12.6.6), as 1 1/2SM is one and a half.
# Seen: the expression asks for a whole number first and takes a fraction only behind it. Of 1/2SM it takes "2SM". M1/4SM, less than a quarter, is four
#   miles, 6437 m: below one mile, where it matters for landing, what is read is a whole multiple of what was written. 1 1/2SM is right.
# Source: metar_decoder/decoder.py, parse, Visibilidad (\d{1,2} for the whole part, without "?").
# Output seen: "1 1/2SM: 1.5 miles, 2414 m", "1/2SM: 2.0 miles, 3219 m", "3/4SM: 4.0 miles, 6437 m", "M1/4SM: 4.0 miles, 6437 m"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v metar-decoder==1.0.2 || exit 2
cat >run.py <<'PY'
from metar_decoder import MetarDecoder

for visibility in "1 1/2SM", "1/2SM", "3/4SM", "M1/4SM":
    found = MetarDecoder(f"KXYZ 121651Z 18004KT {visibility} FG OVC002 09/09 A2992").to_dict()["visibility"]
    print(f"{visibility}: {found['miles']} miles, {found['meters']} m")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "1 1/2SM: 1.5 miles, 2414 m
1/2SM: 2.0 miles, 3219 m
3/4SM: 4.0 miles, 6437 m
M1/4SM: 4.0 miles, 6437 m" ] || { echo "changed" >&2; exit 1; }
