#!/usr/bin/env bash
# py-smsify 0.2.1 (PyPI): no letter of GSM's alphabet outside ASCII is ever sent as itself: the pound sign becomes three letters, "é" an "e".
#
# Guess: letters that the default alphabet has (TS 23.038, §6.2.1), as the table in the package lists them, go out with their codes; substitutes, as the README
#   shows them for Chinese, are for letters that it lacks.
# Seen: before the table is looked at, all text is turned to ASCII: "é", code 5, becomes "e", the pound sign, code 1, "GBP", which is two letters longer.
#   Nothing of the table outside ASCII can be reached.
# Source: py_smsify/__init__.py, message_encode (anyascii before basic_table.find).
# Output seen: "£: code 1, sent b'GBP'", "é: code 5, sent b'e'", "Ω: code 21, sent b'O'", "38 letters outside ASCII in the table, 0 kept"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v py-smsify==0.2.1 || exit 2
cat >run.py <<'PY'
from py_smsify import SmsMessage, basic_table

for letter in "£éäΩ":
    print(f"{letter}: code {basic_table.index(letter)}, sent {SmsMessage(letter).encoded_bytes}")
kept = [letter for letter in basic_table if not letter.isascii() and SmsMessage(letter).encoded_bytes == bytes([basic_table.index(letter)])]
print(f"{sum(not letter.isascii() for letter in basic_table)} letters outside ASCII in the table, {len(kept)} kept")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "£: code 1, sent b'GBP'
é: code 5, sent b'e'
ä: code 123, sent b'a'
Ω: code 21, sent b'O'
38 letters outside ASCII in the table, 0 kept" ] || { echo "changed" >&2; exit 1; }
