#!/usr/bin/env bash
# pytlv 0.71 (PyPI): build leaves out everything behind an element without a value.
#
# Guess: an element may be empty (length 00; EMV Book 3, Annex B: a tag whose value is absent has the length zero, as in 9F3800), and parse takes such
#   ones. What is built from the parsed is the same.
# Seen: the first empty value ends the building, and what was built till then is returned as if it were all. Of four elements one is left; nothing is
#   raised.
# Source: pytlv/TLV.py, build (if not value: return self.tlv_string).
# Output seen: "parsed: {'5F34': '01', '9F38': '', '9A': '261130', '9C': '00'}", "built: 5F340101 of 5F3401019F38009A032611309C0100"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pytlv==0.71 || exit 2
cat >run.py <<'PY'
from pytlv.TLV import TLV

text = "5F340101" + "9F3800" + "9A03261130" + "9C0100"
found = TLV().parse(text)
print("parsed:", dict(found))
print("built:", TLV().build(found), "of", text)
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "parsed: {'5F34': '01', '9F38': '', '9A': '261130', '9C': '00'}
built: 5F340101 of 5F3401019F38009A032611309C0100" ] || { echo "changed" >&2; exit 1; }
