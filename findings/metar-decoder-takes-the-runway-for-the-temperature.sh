#!/usr/bin/env bash
# metar-decoder 1.0.2 (PyPI): with the sight along runway 24 in the report the air has 24 degrees.
#
# Guess: temperature and dew point are the group 02/01 behind the clouds (WMO-No. 306, FM 15, group T'T'/T'dT'd); R24/0600 is the runway's visual range.
# Seen: the first two digits, a stroke and two digits anywhere are taken. A runway without a letter comes before, and 24/06 is read from it: 24 degrees
#   with a dew point of 6 in fog, and a humidity of 31 %. With R24L/0600 all is right.
# Source: metar_decoder/regex_patterns.py, temp_dew (no borders), used with search.
# Output seen: "R24L/0600: 2 °C, dew point 2 °C, humidity 100.0 %", "R24/0600: 24 °C, dew point 6 °C, humidity 31.4 %"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v metar-decoder==1.0.2 || exit 2
cat >run.py <<'PY'
from metar_decoder import MetarDecoder

for runway in "R24L/0600", "R24/0600":
    found = MetarDecoder(f"LKXX 121600Z 24004KT 0500 {runway} FG OVC001 02/02 Q1021").to_dict()
    air = found["temperature"]
    print(f"{runway}: {air['air']}, dew point {air['dew_point']}, humidity {found['derived']['humidity_rel_percent']} %")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "R24L/0600: 2 °C, dew point 2 °C, humidity 100.0 %
R24/0600: 24 °C, dew point 6 °C, humidity 31.4 %" ] || { echo "changed" >&2; exit 1; }
