#!/usr/bin/env bash
# pycrate 0.8.1: the MTP3 label that is built for an odd originating point code holds the even one below it.
#
# Guess: `MTP3(val={"OPC": 1001, ...})` writes 1001, and reading the bytes again shows 1001; DPC works so.
# Seen: OPC 1000 is on the wire: the lowest two bits are masked with 2, not with 3. Half of all point codes are changed,
#   without an error, in what goes over M2PA or M2UA, and answers go to a neighbour of the sender.
# Source: pycrate_mobile/SIGTRAN.py, MTP3.set_val; ITU-T Q.704 §2.2 (codes of 14 bits).
# Output seen: "1000 1001" -> OPC "1000 1000", DPC "1000 1001"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" --quiet --disable-pip-version-check install --no-compile pycrate==0.8.1
seen=$("$folder/v/bin/python" -c '
from pycrate_mobile.SIGTRAN import MTP3

def again(name, code):
    label, read = MTP3(val={name: code}), MTP3()
    read.from_bytes(label.to_bytes())
    return read[name].get_val()

for name in "OPC", "DPC":
    print(name, *(again(name, code) for code in (1000, 1001)))')
echo "$seen"
[ "$seen" = $'OPC 1000 1000\nDPC 1000 1001' ] || { echo "changed" >&2; exit 1; }
