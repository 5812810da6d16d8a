#!/usr/bin/env bash
# metar-decoder 1.0.2 (PyPI): a wind shift at 17:15 in the remarks makes the visibility 1715 m.
#
# Guess: the visibility is before the remarks; 10SM is ten miles, and WSHFT 1715 or PK WND 20032/1715 behind RMK are hours (Federal Meteorological
#   Handbook No. 1, §12.7.1).
# Seen: four digits that stand alone anywhere in the report are metres, and are looked for before miles are. 10SM is not seen; miles is None.
# Source: metar_decoder/decoder.py, parse, Visibilidad (the branch \d{4} before that of SM, search over the whole report).
# Output seen: "AO2: 16093 m, 10.0 miles", "AO2 WSHFT 1715: 1715 m, None miles", "AO2 PK WND 20032/1725: 1725 m, None miles"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v metar-decoder==1.0.2 || exit 2
cat >run.py <<'PY'
from metar_decoder import MetarDecoder

for remark in "AO2", "AO2 WSHFT 1715", "AO2 PK WND 20032/1725":
    found = MetarDecoder(f"KXYZ 121751Z 18014KT 10SM CLR 17/14 A2992 RMK {remark}").to_dict()["visibility"]
    print(f"{remark}: {found['meters']} m, {found['miles']} miles")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "AO2: 16093 m, 10.0 miles
AO2 WSHFT 1715: 1715 m, None miles
AO2 PK WND 20032/1725: 1725 m, None miles" ] || { echo "changed" >&2; exit 1; }
