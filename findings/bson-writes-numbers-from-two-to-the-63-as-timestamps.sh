#!/usr/bin/env bash
# bson 0.5.10 (PyPI): 2^63 is written as a time stamp, which others read as the second 2147483648.
#
# Guess: numbers that do not fit into an int64 are refused, or become Decimal128 or double: BSON 1.1 has no unsigned number of 64 bits; type 11 is the
#   internal timestamp, an increment and a second.
# Seen: from 2^63 to 2^64 - 1 numbers go out as type 11, called uint64 in the code, and come back as numbers from this library alone. A reader that
#   keeps to the specification has a timestamp of 2038; a timestamp of the server's log is a number here, with the second in its upper half.
# Source: bson/codec.py, ELEMENT_TYPES (0x11: "uint64"), encode_uint64_element.
# Output seen: "9223372036854775807: type 12, read 9223372036854775807", "9223372036854775808: type 11, read 9223372036854775808, for others second 2147483648, increment 0", "9223372036854775815: type 11, read 9223372036854775815, for others second 2147483648, increment 7", "increment 1 of second 1700000000: 7301444403200000001"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v bson==0.5.10 six==1.17.0 python-dateutil==2.9.0 || exit 2
cat >run.py <<'PY'
import bson

for number in 2**63 - 1, 2**63, 2**63 + 7:
    octets = bson.dumps({"n": number})
    second, increment = int.from_bytes(octets[11:15], "little"), int.from_bytes(octets[7:11], "little")
    told = f", for others second {second}, increment {increment}" if octets[4] == 0x11 else ""
    print(f"{number}: type {octets[4]:02x}, read {bson.loads(octets)['n']}{told}")
stamp = bytes.fromhex("10000000" "116e00") + (1).to_bytes(4, "little") + (1700000000).to_bytes(4, "little") + b"\0"
print(f"increment 1 of second 1700000000: {bson.loads(stamp)['n']}")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "9223372036854775807: type 12, read 9223372036854775807
9223372036854775808: type 11, read 9223372036854775808, for others second 2147483648, increment 0
9223372036854775815: type 11, read 9223372036854775815, for others second 2147483648, increment 7
increment 1 of second 1700000000: 7301444403200000001" ] || { echo "changed" >&2; exit 1; }
