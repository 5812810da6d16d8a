#!/usr/bin/env bash
# metar-taf-parser-mivek 1.13.1 (PyPI): a wind of 105 knots is one of 10 knots without gusts.
#
# Guess: speed and gusts have two digits, or three (Federal Meteorological Handbook No. 1, §12.6.5: dddff(f)Gfmfm(fm)KT), and gusts of three are taken.
# Seen: the speed is two digits, and what is behind them need not be read, as neither the unit nor the end is asked for: 09105G127KT is ... 10 knots of
#   91 degrees; 110 knots with gusts of 127 are 11 knots. No error tells of it. Up to 99 knots all is right.
# Source: metar_taf_parser/command/common.py, WindCommand.regex.
# Output seen: "09095KT: 90 degrees, 95 KT, gusts None", "09095G127KT: 90 degrees, 95 KT, gusts 127", "090105KT: 90 degrees, 10 KT, gusts None", "090110G127KT: 90 degrees, 11 KT, gusts None"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v metar-taf-parser-mivek==1.13.1 || exit 2
cat >run.py <<'PY'
from metar_taf_parser.parser.parser import MetarParser

for wind in "09095KT", "09095G127KT", "090105KT", "090110G127KT":
    found = MetarParser().parse(f"KXYZ 121651Z {wind} 1/2SM OVC002 24/24 A2860").wind
    print(f"{wind}: {found.degrees} degrees, {found.speed} {found.unit}, gusts {found.gust}")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "09095KT: 90 degrees, 95 KT, gusts None
09095G127KT: 90 degrees, 95 KT, gusts 127
090105KT: 90 degrees, 10 KT, gusts None
090110G127KT: 90 degrees, 11 KT, gusts None" ] || { echo "changed" >&2; exit 1; }
