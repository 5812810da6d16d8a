#!/usr/bin/env bash
# pdusms 1.0 (PyPI, module smspdu): the zone of California is read as -50 quarters of an hour and written as -20; it is -32.
#
# Guess: the last octet of a time has two decimal digits of quarters, swapped, and the sign as the highest bit of the first digit
#   (TS 23.040 §9.2.3.11): -32 is the digits 3 and 2, with the sign b and 2, so the octet 2b. The functions write and read
#   "...-32", as their manual says.
# Seen: without a minus both are right. With one the digits are read as a hexadecimal number and shown in decimal, 32 as 50; in
#   writing the decimal number is turned into hexadecimal, 32 into 20. So west of -2:15 each stamp is hours off, read twice too far
#   west, written too far east. What it wrote it reads right, so that a test of both together shows nothing.
# Who cares: stamps of American centres; "support Python 3" and "most complete", says its manual.
# Source: smspdu/pdu.py, pack_date (`'%02x' % (int(date[-2:]) | 128)`) and unpack_date (`int(date[-2:], 16)`).
# Output seen: "+32: written 23, read +32", "-04: written 48, read -04", "-20: written 49, read -32", "-32: written 0a, read -50"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pdusms==1.0 || exit 2
cat >run.py <<'PY'
from smspdu.pdu import pack_date, unpack_date

stamp = "261130140000"
for zone in ("+32", "-04", "-20", "-32"):
    digits = int(zone[1:])
    first, second = divmod(digits, 10)
    octet = (second << 4) | first | (8 if zone[0] == "-" else 0)
    right = pack_date(stamp + "+00")[:6] + bytes([octet])
    print(f"{zone}: right {octet:02x}, written {pack_date(stamp + zone)[6]:02x}, read {unpack_date(right)[12:]}")
PY
seen=$(PYTHONPATH=v python3 run.py 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "+32: right 23, written 23, read +32
-04: right 48, written 48, read -04
-20: right 0a, written 49, read -32
-32: right 2b, written 0a, read -50" ] || { echo "changed" >&2; exit 1; }
