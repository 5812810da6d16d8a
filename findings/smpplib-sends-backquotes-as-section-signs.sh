#!/usr/bin/env bash
# smpplib 2.2.4 (PyPI): a backquote is sent as "§", and a text with "§" in UCS-2.
#
# Guess: gsm.make_parts sends a text in the GSM alphabet if it can, else in UCS-2. The alphabet has no backquote (TS 23.038 §6.2.1), and
#   it has the section sign, so that the one needs UCS-2 and the other does not.
# Seen: the other way round. In the table backquotes stand for the places without a letter, and one for the section sign, and the first of
#   them is found: `sctp` arrives as §sctp§, in alarms with commands or names in backquotes, with no error. "§ 5" costs UCS-2
#   and holds 70 letters instead of 160. gsm0338 1.1.0 (PyPI) reads what was written and does not write a backquote.
# Source: smpplib/gsm.py, GSM_CHARACTER_TABLE.index.
# Output seen: "`sctp`: coding 0, read §sctp§", "§ 5: coding 8", "gsm0338: ` UnicodeEncodeError, § 5f"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v smpplib==2.2.4 six==1.17.0 gsm0338==1.1.0 || exit 2
cat >run.py <<'PY'
import gsm0338
from smpplib import gsm

codec = gsm0338.Codec()
for text in ("`sctp`", "§ 5"):
    parts, coding, _ = gsm.make_parts(text)
    print(f"{text}: coding {coding}" + (f", read {codec.decode(parts[0])[0]}" if coding == 0 else ""))
try:
    other = codec.encode("`")[0].hex()
except UnicodeEncodeError as error:
    other = type(error).__name__
print(f"gsm0338: ` {other}, § {codec.encode('§')[0].hex()}")
PY
seen=$(PYTHONUTF8=1 PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = '`sctp`: coding 0, read §sctp§
§ 5: coding 8
gsm0338: ` UnicodeEncodeError, § 5f' ] || { echo "changed" >&2; exit 1; }
