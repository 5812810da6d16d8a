#!/usr/bin/env bash
# iec60870-parser 0.1.1 (PyPI): the second object of a message with measured values gets its address from the value of the first.
#
# Guess: of types other than 1 and 30 the values are not decoded, as documented, so that they are left in "unparsed" or the message is refused, since
#   each object is an address and its elements (IEC 60870-5-101 §7.2) whose size the type gives.
# Seen: VALID, and a list of all the objects, but the next address starts right behind the first one: objects 1 and 2 of type 13 (short float) with
#   100.0 and 10.0 become objects 1 and 13107200; of type 3 (double-point) they become 1 and 513. Only "unparsed" hints at it.
# Source: iec60870/parser.py, parse_asdu (value_size = 0).
# Output seen: "single points: VALID, objects [1, 2]", "double points: VALID, objects [1, 513]", "floats: VALID, objects [1, 13107200]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v iec60870-parser==0.1.1 || exit 2
cat >run.py <<'PY'
import struct
from iec60870 import parse_asdu

def show(name, kind, elements):
    header = bytes([kind, len(elements), 3, 0, 1, 0])
    objects = b"".join(number.to_bytes(3, "little") + element for number, element in enumerate(elements, 1))
    asdu = parse_asdu(header + objects)
    print(f"{name}: {asdu['status']}, objects {[entry['ioa'] for entry in asdu['information_objects']]}")

show("single points", 1, [b"\0", b"\1"])
show("double points", 3, [b"\1", b"\2"])
show("floats", 13, [struct.pack("<fB", 100, 0), struct.pack("<fB", 10, 0)])
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "single points: VALID, objects [1, 2]
double points: VALID, objects [1, 513]
floats: VALID, objects [1, 13107200]" ] || { echo "changed" >&2; exit 1; }
