#!/usr/bin/env bash
# asterix4py 1.0.6 (PyPI): of several data blocks each is read as if it were of the category of the first.
#
# Guess: a datagram or a file is a chain of blocks, each with its category and its length (EUROCONTROL SPEC-149, part 1, "Data block"), and a radar
#   sends targets (48) and service messages (34) in turn.
# Seen: the category is taken from the first octet of all the data, each time round the loop. A report of category 21 behind one of category 48 is given
#   as 48; with other items than the source its octets are read by the wrong table. If the first is of a category that the package does not list (34,
#   for which it has the file), nothing of the rest is read either, and nothing is said.
# Source: asterix4py/AsterixParser.py, AsterixParser.__init__ (self.bytes[0:1]), astXmlFiles.
# Output seen: "48 read as [48]", "21 read as [21]", "48 21 read as [48, 48]", "48 34 read as [48, 48]", "34 48 read as []"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v asterix4py==1.0.6 || exit 2
cat >run.py <<'PY'
from asterix4py.AsterixParser import AsterixParser


def block(category):
    return bytes([category, 0, 6, 0x80, 25, 10])


for categories in (48,), (21,), (48, 21), (48, 34), (34, 48):
    found = AsterixParser(b"".join(map(block, categories))).get_result()
    print(*categories, "read as", [record["cat"] for record in found.values()])
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "48 read as [48]
21 read as [21]
48 21 read as [48, 48]
48 34 read as [48, 48]
34 48 read as []" ] || { echo "changed" >&2; exit 1; }
