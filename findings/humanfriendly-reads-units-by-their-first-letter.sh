#!/usr/bin/env bash
# humanfriendly 10.0 (PyPI): parse_size takes "100 Mbit" for 100 megabytes, and "10 ms" for ten megabytes.
#
# Guess: a unit that is not one of bytes is InvalidSize, as "10 xyz" is, or bits are turned into bytes, 12.5 MB, as the same
#   module writes; parse_timespan beside it is strict about its words.
# Seen: only the first letter of the unit counts: Mbit, Mbit/s, ms, min and million are all 10^6 bytes, and "8 bits" are eight bytes. A
#   rate for a shaper, or a timer that was written into the field of a buffer, passes as a size; the rate is eight times too
#   high. With binary=True they are multiples of 1024.
# Source: humanfriendly/__init__.py, parse_size: startswith("b"), and startswith of the first letter of each symbol.
# Output seen: "100 Mbit: 100000000", "8 bits: 8", "10 ms: 10000000", "5 min: 5000000", "10 xyz: InvalidSize"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v humanfriendly==10.0 || exit 2
cat >run.py <<'PY'
import humanfriendly

for size in ("100 Mbit", "8 bits", "10 ms", "5 min", "10 xyz"):
    try:
        print(f"{size}: {humanfriendly.parse_size(size)}")
    except humanfriendly.InvalidSize:
        print(f"{size}: InvalidSize")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "100 Mbit: 100000000
8 bits: 8
10 ms: 10000000
5 min: 5000000
10 xyz: InvalidSize" ] || { echo "changed" >&2; exit 1; }
