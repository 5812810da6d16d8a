#!/usr/bin/env bash
# py-smsify 0.2.1 (PyPI): a message of 320 letters is said to be two segments, and none of the accented letters of GSM is ever kept.
#
# Guess: up to 160 letters are one segment, and a longer message has 153 in each, as the header that joins them takes seven (TS 23.040, §9.2.3.24.1): 320 letters
#   are three. Letters that the default alphabet has, as the table in the package lists them, need no substitute.
# Seen: 160 for each segment, whatever their number; 153 is taken for "twilio" alone, as if that operator had its own header. Before the table is looked
#   at, all text is turned to ASCII: "é", code 5, becomes "e", the pound sign, code 1, "GBP".
# Source: py_smsify/__init__.py, __post_init__ (153 if self.twilio and self.length>160 else 160), message_encode (anyascii before basic_table).
# Output seen: "307 letters: 2 segments, expected 3", "320 letters: 2 segments, expected 3", "£: code 1, sent b'GBP'", "é: code 5, sent b'e'"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v py-smsify==0.2.1 || exit 2
cat >run.py <<'PY'
from py_smsify import SmsMessage, basic_table

for length in 160, 161, 306, 307, 320:
    message = SmsMessage("x" * length)
    print(f"{length} letters: {message.segments} segments, expected {1 if length <= 160 else -(-length // 153)}")
for letter in "£éäΩ":
    print(f"{letter}: code {basic_table.index(letter)}, sent {SmsMessage(letter).encoded_bytes}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "160 letters: 1 segments, expected 1
161 letters: 2 segments, expected 2
306 letters: 2 segments, expected 2
307 letters: 2 segments, expected 3
320 letters: 2 segments, expected 3
£: code 1, sent b'GBP'
é: code 5, sent b'e'
ä: code 123, sent b'a'
Ω: code 21, sent b'O'" ] || { echo "changed" >&2; exit 1; }
