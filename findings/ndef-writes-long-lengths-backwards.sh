#!/usr/bin/env bash
# ndef 0.2 (PyPI): records of 256 octets and more have their length the wrong way round and are refused by tags' readers; long records of others raise
#   an error.
#
# Guess: the payload length of a record that is not short is four octets, the highest first (NFC Forum, NDEF 1.0, "PAYLOAD_LENGTH").
# Seen: the lowest is first. 300 octets are 2c 01 00 00, which a telephone reads as 738,263,040. A record by the book is "not enough bytes"; what the
#   package writes it reads itself, so that its tests pass. Records up to 255 octets are right.
# Source: ndef/ndef.py, SIZE2STRUCT (32: '<L').
# Output seen: "255 octets: d20aff74657874", "300 octets: c20a2c01000074", "300 octets by the book: not enough bytes [offset=16, len=316, need=738263040]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v ndef==0.2 six==1.17.0 || exit 2
cat >run.py <<'PY'
from ndef import InvalidNdef, NdefMessage, TNF_MEDIA, new_message

for octets in 255, 300:
    message = new_message((TNF_MEDIA, b"text/plain", b"", b"a" * octets)).to_buffer()
    print(f"{octets} octets: {message[:7].hex()}")
by_the_book = bytes([0xC2, 10]) + (300).to_bytes(4, "big") + b"text/plain" + b"a" * 300
try:
    print(len(NdefMessage(by_the_book).records[0].payload))
except InvalidNdef as error:
    print("300 octets by the book:", error)
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "255 octets: d20aff74657874
300 octets: c20a2c01000074
300 octets by the book: not enough bytes [offset=16, len=316, need=738263040]" ] || { echo "changed" >&2; exit 1; }
