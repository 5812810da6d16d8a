#!/usr/bin/env bash
# arinc429 0.1.7 (PyPI): the number that the encoder gives for a word is decoded with the parity octet as its label.
#
# Guess: Encoder.word and the integer that Decoder.decode takes are the same 32 bits, so that what was written is read: label 0o203, value 4660.
# Seen: the word has the label in its lowest octet, the decoder takes the label from the highest. Another label and another value come out, without an
#   error. The octets (bword) go the other way round and are read right, so that of two forms of the same word one is right.
# Source: arinc429/common.py, ArincWord.word; arinc429/decoder.py, decode (struct.pack("<I", word), then word[3] as the label).
# Output seen: "word e048d0c1", "octets: label 203, value 4660.0", "number: label 007, value 29714.0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v arinc429==0.1.7 || exit 2
cat >run.py <<'PY'
from arinc429.decoder import Decoder
from arinc429.encoder import Encoder

encoder = Encoder()
encoder.encode(value=4660, label=0o203, ssm=3, encoding="BNR")
print(f"word {encoder.word:08x}")
for name, word in ("octets", encoder.bword), ("number", encoder.word):
    found = Decoder().decode(word, "BNR")
    print(f"{name}: label {found.label:03o}, value {found.value}")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "word e048d0c1
octets: label 203, value 4660.0
number: label 007, value 29714.0" ] || { echo "changed" >&2; exit 1; }
