#!/usr/bin/env bash
# mt940 0.8.1 (PyPI): of a statement in two messages the second has no opening balance, and the note on the first page is the text of its last entry.
#
# Guess: a statement that does not fit into one message goes on in the next, with intermediate balances 62M and 60M in place of 62F and 60F (SWIFT, MT
#   940, usage rules); field 86 behind the closing balance is about the statement.
# Seen: 60M and 62M are skipped. The balances are None, and as field 86 belongs to the statement only if a 62F was seen, the note on a first page
#   replaces the description of its last entry.
# Source: mt940/__init__.py, SECTIONS, MT940._parse ('end_balance' in values).
# Output seen: "1/1: from 100.00 to None, entry 'note on the page', note None", "1/2: from None to 80.00, entry 'water', note None"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v mt940==0.8.1 || exit 2
cat >run.py <<'PY'
from io import StringIO

from mt940 import MT940

pages = """:20:S1
:25:123456
:28C:1/1
:60F:C260102EUR100,00
:61:2601020102D10,00NMSCNONREF
:86:rent
:62M:C260102EUR90,00
:86:note on the page
-
:20:S1
:25:123456
:28C:1/2
:60M:C260102EUR90,00
:61:2601020102D10,00NMSCNONREF
:86:water
:62F:C260102EUR80,00
-"""
for page in MT940(StringIO(pages)).statements:
    start, end = (balance and str(balance.amount) for balance in (page.start_balance, page.end_balance))
    print(f"{page.information}: from {start} to {end}, entry {page.transactions[0].description!r}, note {page.description!r}")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "1/1: from 100.00 to None, entry 'note on the page', note None
1/2: from None to 80.00, entry 'water', note None" ] || { echo "changed" >&2; exit 1; }
