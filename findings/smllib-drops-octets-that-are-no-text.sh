#!/usr/bin/env bash
# smllib 1.7 (PyPI): a value of the octets 41 ff 42 is read as the text AB; what is not UTF-8 in it is dropped.
#
# Guess: an octet string is octets; if it looks like text as a whole, it may be shown as text, else as hex, as 41 0a 42 is.
# Seen: the value is decoded with errors ignored, and if what is left has only letters and digits, it takes the place of the hex. ff 31 is 1, and 81
#   31 is 1 too, so that two meters or tariffs can have one name. Octets below 80 that are no letters keep the hex.
# Source: smllib/builder/list_entry.py, SmlListEntryBuilder.build (errors="ignore").
# Output seen: "414342: ACB", "410a42: 410a42", "41ff42: AB", "ff31: 1", "8131: 1"
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

for value in ("414342", "410a42", "41ff42", "ff31", "8131"):
    frame = SmlFrame(entry("0100000009ff", text(bytes.fromhex(value))))
    print(f"{value}: {frame.get_obis()[0].value}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "414342: ACB
410a42: 410a42
41ff42: AB
ff31: 1
8131: 1" ] || { echo "changed" >&2; exit 1; }
