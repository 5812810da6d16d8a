#!/usr/bin/env bash
# smllib 1.7 (PyPI): get_obis, which returns "all obis values in the frame", leaves out those whose code begins with another number than 1.
#
# Guess: the first group of a code is the medium: 1 is electricity, 0 the device itself, 7 gas, 81 (hex) what the manufacturer set (IEC 62056-61); a
#   meter mixes them in a list, and the table of names in this package has two of 81. All of them are returned, as parse_frame has them.
# Seen: the octets 77 07 01 are searched for: a list of seven, whose first is six octets that begin with 1. The maker of the meter, which the table of
#   names knows, its gas and its own state are not among the results, without a word.
# Source: smllib/sml_frame.py, SmlFrame.get_obis.
# Output seen: "in the frame: 0100010800ff 8181c78203ff 070003000000", "get_obis: 0100010800ff", "in the table of names: True"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v smllib==1.7 || exit 2
cat >run.py <<'PY'
from smllib import SmlFrame

def text(content):
    return bytes([len(content) + 1]) + content

def entry(code, value):  # status, time, unit and scaler are left out, the signature too
    return b"\x77" + text(bytes.fromhex(code)) + b"\x01" * 4 + value + b"\x01"

from smllib.const import OBIS_NAMES

energy, maker, gas = "0100010800ff", "8181c78203ff", "070003000000"
frame = SmlFrame(entry(energy, b"\x62\x07") + entry(maker, text(b"ABC")) + entry(gas, b"\x62\x08"))
print("in the frame:", energy, maker, gas)
print("get_obis:", *[found.obis for found in frame.get_obis()])
print("in the table of names:", maker in OBIS_NAMES)
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "in the frame: 0100010800ff 8181c78203ff 070003000000
get_obis: 0100010800ff
in the table of names: True" ] || { echo "changed" >&2; exit 1; }
