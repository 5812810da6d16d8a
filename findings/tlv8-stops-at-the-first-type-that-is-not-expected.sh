#!/usr/bin/env bash
# tlv8 0.10.0 (PyPI): decode with a list of expected types returns nothing of what is behind a type that is not in it.
#
# Guess: types that a reader does not know are passed over, and the others are returned, as the README says of TLV8 (unknown or unwanted types are ignored), and as the home
#   accessories that use it need.
# Seen: reading ends at the first other type: of 1, 9, 2 with 1 and 2 expected, 1 is returned, of 9, 1, 2 nothing. An accessory that adds one new entry at the beginning is
#   unreadable, without an error. With no expectation all three are there.
# Source: tlv8/__init__.py, _internal_decode: "if expected and tlv_id not in expected and tlv_len > 0: break".
# Output seen: "all: [1, 9, 2]", "1 and 2 of them: [1]", "1 and 2 of 9, 1, 2: []"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v tlv8==0.10.0 || exit 2
cat >run.py <<'PY'
import tlv8

EXPECTED = {1: tlv8.DataType.UNSIGNED_INTEGER, 2: tlv8.DataType.UNSIGNED_INTEGER}


def types(text, expected=None):
    return [int(entry.type_id) for entry in tlv8.decode(bytes.fromhex(text), expected)]


print(f"all: {types('01010a 09010b 02010c')}")
print(f"1 and 2 of them: {types('01010a 09010b 02010c', EXPECTED)}")
print(f"1 and 2 of 9, 1, 2: {types('09010b 01010a 02010c', EXPECTED)}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "all: [1, 9, 2]
1 and 2 of them: [1]
1 and 2 of 9, 1, 2: []" ] || { echo "changed" >&2; exit 1; }
