#!/usr/bin/env bash
# pytlv 0.71 (PyPI): values of 128 octets or more are written with a length that is none, and cannot be read from others.
#
# Guess: a length up to 127 is one octet; 128 is 81 80 (EMV Book 3, Annex B2). Certificates of issuers, tag 90, are 128 to 248 octets, so that each
#   reader of cards meets it.
# Seen: the length is always one octet: 128 is written 80, which in BER means that the end is marked, in EMV nothing. Of 8180 the reader takes 129 for
#   the length and raises an error as the text is too short, or, where more follows, gives a value that begins with its own length and ends in the next
#   tag.
# Source: pytlv/TLV.py, parse (value_length, two letters), build (hexify).
# Output seen: "127 octets: 907FABAB", "128 octets: 9080ABAB", "{'90': '80AB... of 129', '9F32': '03... of 1', '9F47': '03... of 1', '9F48': '01... of 1'}"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pytlv==0.71 || exit 2
cat >run.py <<'PY'
from pytlv.TLV import TLV

reader = TLV()
print("127 octets:", TLV().build({"90": "AB" * 127})[:8])
print("128 octets:", TLV().build({"90": "AB" * 128})[:8])
found = reader.parse("908180" + "AB" * 128 + "9F3201039F4701039F480101")
print({tag: f"{value[:4]}... of {len(value) // 2}" for tag, value in found.items()} if found else found)
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "127 octets: 907FABAB
128 octets: 9080ABAB
{'90': '80AB... of 129', '9F32': '03... of 1', '9F47': '03... of 1', '9F48': '01... of 1'}" ] || { echo "changed" >&2; exit 1; }
