#!/usr/bin/env bash
# x690 1.0.0.post1 (PyPI): an element of a class other than universal is written with another tag than it was read with.
#
# Guess: what decode gives back for a tag that it does not know, a raw value with the tag, can be put into bytes again: a relay can read
#   a TCAP Begin (tag 62, X.690 §8.1.2), or the transaction identity in it (48), and pass it on. Its repr names class, form and
#   number as they were.
# Seen: each such element is written with the tag b9, [25] of the context class in constructed form, whatever it was; contents and
#   length are right. b9 is a place holder of the class, 99, with the bit of the constructed form. Universal types, and
#   sequences of them, come back as they were.
# Who cares: SIGTRAN and SNMP tools; a firewall that reads and writes messages changes their kind.
# Source: x690/types.py, UnknownType (TAG = 0x99) and X690Type.__bytes__, which looks at the class attribute, not at tag.
# Output seen: "sequence: 3003020101 -> 3003020101", "Begin: 6206480400001001 -> b906480400001001", "private: c10101 -> b90101"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install x690==1.0.0.post1 || exit 2
cat >run.py <<'PY'
from x690 import decode

elements = {"sequence": "3003020101", "Begin": "6206480400001001", "transaction": "480400001001", "private": "c10101"}
for name, octets in elements.items():
    value, _ = decode(bytes.fromhex(octets))
    print(f"{name}: {octets} -> {bytes(value).hex()}")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "sequence: 3003020101 -> 3003020101
Begin: 6206480400001001 -> b906480400001001
transaction: 480400001001 -> b90400001001
private: c10101 -> b90101" ] || { echo "changed" >&2; exit 1; }
