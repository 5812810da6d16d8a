#!/usr/bin/env bash
# metar-decoder 1.0.2 (PyPI): the exact temperature and dew point are the highest and lowest temperature of 24 hours.
#
# Guess: T01720144 in the remarks is the temperature of the hour, 17.2, and the dew point, 14.4; the highest and lowest of 24 hours are the group 4:
#   401890078 (Federal Meteorological Handbook No. 1, §12.7.2).
# Seen: max_24h_c and min_24h_c come from the group T, in each hourly report, and the dew point is the lowest temperature of the day. The group 4 is not
#   looked at.
# Source: metar_decoder/regex_patterns.py, extreme_temps; decoder.py, "Temperatura extrema Tnnnnnnnn".
# Output seen: "highest 17.2, lowest 14.4"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v metar-decoder==1.0.2 || exit 2
cat >run.py <<'PY'
from metar_decoder import MetarDecoder

report = "KXYZ 120451Z 18004KT 10SM CLR 17/14 A2992 RMK AO2 SLP132 T01720144 401890078"
found = MetarDecoder(report).to_dict()["temperature"]
print(f"highest {found['max_24h_c']}, lowest {found['min_24h_c']}")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "highest 17.2, lowest 14.4" ] || { echo "changed" >&2; exit 1; }
