#!/usr/bin/env bash
# pyMeterBus 0.8.5 (PyPI): 1 kWh with the correction factor 10 behind the unit is 1000 Wh, as without it and as with the factor 0.1.
#
# Guess: a VIFE 70 to 77 (hex) multiplies the value by 10 to the power of -6 to 1 (EN 13757-3, orthogonal VIFE, "multiplicative correction factor"),
#   as this package does for units in plain text: 10 kWh is 10000 Wh.
# Seen: for the units of the table the first VIFE is looked up among names only: the value stays, and unit_enh is UNKNOWN_ENHANCEMENT, as for each
#   VIFE that the package has no name for. Values are a power of ten off.
# Source: meterbus/telegram_variable_data_record.py, _parse_vifx (pow of the factor only where vif is 0xFC).
# Output seen: "1 kWh: 1000 MeasureUnit.WH, -", "factor 10: 1000 MeasureUnit.WH, VIFUnitEnhExt.UNKNOWN_ENHANCEMENT", "factor 0.1: 1000 MeasureUnit.WH, VIFUnitEnhExt.UNKNOWN_ENHANCEMENT"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pyMeterBus==0.8.5 simplejson==3.19.3 future==1.0.0 pyserial==3.5 pycryptodome==3.21.0 || exit 2
cat >run.py <<'PY'
import meterbus

def read(record):
    body = bytes.fromhex("080172" "78563412" "2423" "01070100" "0000") + bytes.fromhex(record)
    size = len(body)
    telegram = meterbus.load(bytes([0x68, size, size, 0x68]) + body + bytes([sum(body) & 255, 0x16]))
    return telegram.records[0].interpreted

for name, record in (("1 kWh", "0406" "01000000"), ("factor 10", "048677" "01000000"), ("factor 0.1", "048675" "01000000")):
    found = read(record)
    print(f"{name}: {found['value']} {found['unit']}, {found.get('unit_enh', '-')}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "1 kWh: 1000 MeasureUnit.WH, -
factor 10: 1000 MeasureUnit.WH, VIFUnitEnhExt.UNKNOWN_ENHANCEMENT
factor 0.1: 1000 MeasureUnit.WH, VIFUnitEnhExt.UNKNOWN_ENHANCEMENT" ] || { echo "changed" >&2; exit 1; }
