#!/usr/bin/env bash
# iec62056-21 0.0.2 (PyPI): 1.8.0(12.3*kWh) is 12.3 and kWh, but a value behind it without an address, (11.9*kWh), is the text 11.9*kWh without a unit.
#
# Guess: address and unit may each be left out on their own where they are clear (IEC 62056-21, data set); of an earlier value such as in
#   1.8.0*01(11.9*kWh)(...) the unit is split off as of the first.
# Seen: a data set that begins with a parenthesis is all value: the star and the unit stay in it. Archives and earlier values, which have no address,
#   so fail where a number is made of them.
# Source: iec62056_21/messages.py, DataSet.from_representation (just_value).
# Output seen: "1.8.0(12.3*kWh): 1.8.0 12.3 kWh", "1.8.0(12.3*kWh)(11.9*kWh)(11.2): 1.8.0 12.3 kWh, None 11.9*kWh None, None 11.2 None"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v iec62056-21==0.0.2 attrs==24.2.0 pyserial==3.5 || exit 2
cat >run.py <<'PY'
from iec62056_21.messages import DataLine

for text in ("1.8.0(12.3*kWh)", "1.8.0(12.3*kWh)(11.9*kWh)(11.2)"):
    sets = DataLine.from_representation(text).data_sets
    print(f"{text}: " + ", ".join(f"{entry.address} {entry.value} {entry.unit}" for entry in sets))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "1.8.0(12.3*kWh): 1.8.0 12.3 kWh
1.8.0(12.3*kWh)(11.9*kWh)(11.2): 1.8.0 12.3 kWh, None 11.9*kWh None, None 11.2 None" ] || { echo "changed" >&2; exit 1; }
