#!/usr/bin/env bash
# ber-tlv 0.0.6 (PyPI): what is inside a constructed value is read if it has three octets or more, and left as octets if it has two.
#
# Guess: parse() goes into each constructed tag (the bit that says so is in the tag, X.690 §8.1.2.5), and two octets are enough for a whole
#   element: a NULL, or an element with an empty value. The list of a constructed tag is a list each time.
# Seen: 30 03 02 01 05 is a list with an integer, 30 02 05 00 is the octets 05 00, as if the tag were primitive. A result or a parameter without
#   contents, as MAP and TCAP have them (a1 02 30 00), is another type in Python than the same one with contents, and code that
#   loops over it meets numbers. One level deeper the same happens again, and recursive=True makes no difference.
# Source: ber_tlv/tlv.py, Tlv.Parser.parse ("len(value) > 2").
# Output seen: "3003020105 list", "30020500 bytes", "300405000500 list", "a1023000 bytes", "a10430020500 list of bytes"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v ber-tlv==0.0.6 || exit 2
cat >run.py <<'PY'
from ber_tlv.tlv import Tlv

def shape(value):
    if isinstance(value, list):
        inner = shape(value[0][1])
        return "list" if len(value) > 1 or value[0][0] != 0x30 else f"list of {inner}"
    return type(value).__name__

for text in ("3003020105", "30020500", "300405000500", "a1023000", "a10430020500"):
    [(_, value)] = Tlv.parse(bytes.fromhex(text), recursive=True)
    print(text, shape(value))
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "3003020105 list
30020500 bytes
300405000500 list
a1023000 bytes
a10430020500 list of bytes" ] || { echo "changed" >&2; exit 1; }
