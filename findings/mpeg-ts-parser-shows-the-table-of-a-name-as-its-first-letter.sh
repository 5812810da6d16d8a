#!/usr/bin/env bash
# mpeg-ts-parser 1.0.0 (PyPI): the name of a programme that says which letters it uses begins with that octet, and one in UTF-8 is read as Latin-1.
#
# Guess: a first octet below 20 (hex) selects the table of letters and is no letter itself: 05 is ISO 8859-9, 15 is UTF-8, 10 00 01 is ISO 8859-1 (EN
#   300 468, annex A.2, which the function names as its source), so that all three are "Uber" with its two dots.
# Seen: each name is read as ISO 8859-1 with all its octets. Folders are named after programmes with a control sign in front, and letters of UTF-8 are
#   pairs of others. Names without such an octet, which are ISO 6937 by default, pass if they are ASCII.
# Source: mpeg_ts_parser/utils.py, parse_short_event_descriptor (decode of iso-8859-1).
# Output seen: "none: 4e 65 77 73", "05, ISO 8859-9: 05 dc 62 65 72", "10 00 01, ISO 8859-1: 10 00 01 dc 62 65 72", "15, UTF-8: 15 c3 9c 62 65 72"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v mpeg-ts-parser==1.0.0 || exit 2
cat >run.py <<'PY'
from mpeg_ts_parser.utils import parse_short_event_descriptor

names = {
    "none": b"News",
    "05, ISO 8859-9": b"\x05\xdcber",
    "10 00 01, ISO 8859-1": b"\x10\x00\x01\xdcber",
    "15, UTF-8": b"\x15\xc3\x9cber",
}
for table, name in names.items():
    read = parse_short_event_descriptor(b"eng" + bytes([len(name)]) + name + b"\0")
    print(f"{table}: {' '.join(f'{ord(letter):02x}' for letter in read)}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "none: 4e 65 77 73
05, ISO 8859-9: 05 dc 62 65 72
10 00 01, ISO 8859-1: 10 00 01 dc 62 65 72
15, UTF-8: 15 c3 9c 62 65 72" ] || { echo "changed" >&2; exit 1; }
