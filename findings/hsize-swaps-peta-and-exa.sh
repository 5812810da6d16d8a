#!/usr/bin/env bash
# hsize 0.0.2 (PyPI): in words 1024 to the fifth are an "ekabyte" and 1024 to the sixth a petabyte.
#
# Guess: kilo, mega, giga, tera, peta, exa, zetta (the prefixes of the SI), as the other systems of the same function have them: 1.00P is 1.00 petabyte.
# Seen: in "verbose" the two names stand in the other's place: 2 P are "2.00 ekabytes" and 2 E "2.00 petabytes", so that the same number differs by 1024
#   between two systems of one package.
# Source: hsize/hsize.py, bytes2human, unit_convert["verbose"].
# Output seen: "2 T ['2.00T', '2.00Ti', '2.00TB', '2.00 terabytes']", "2 P ['2.00P', '2.00Pi', '2.00PB', '2.00 ekabytes']", "2 E ['2.00E', '2.00Ei', '2.00EB', '2.00 petabytes']", "2 Z ['2.00Z', '2.00Zi', '2.00ZB', '2.00 zeetabytes']"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v hsize==0.0.2 || exit 2
cat >run.py <<'PY'
from hsize import bytes2human, human2bytes

for text in ("2 T", "2 P", "2 E", "2 Z"):
    size = human2bytes(text)
    print(text, [bytes2human(size, system) for system in ("traditional", "iec", "alternative", "verbose")])
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "2 T ['2.00T', '2.00Ti', '2.00TB', '2.00 terabytes']
2 P ['2.00P', '2.00Pi', '2.00PB', '2.00 ekabytes']
2 E ['2.00E', '2.00Ei', '2.00EB', '2.00 petabytes']
2 Z ['2.00Z', '2.00Zi', '2.00ZB', '2.00 zeetabytes']" ] || { echo "changed" >&2; exit 1; }
