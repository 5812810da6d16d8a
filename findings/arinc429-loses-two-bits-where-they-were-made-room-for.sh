#!/usr/bin/env bash
# arinc429 0.1.7 (PyPI): with lsb=9 the two lowest bits of a number are dropped.
#
# Guess: a word without a source and destination has two bits more for its number: lsb may be 9, and a number that ends there has 21 bits, of which the
#   lowest is bit 9. 1003 stays 1003.
# Seen: the number is moved right by two places and written at bit 11, where it was to be moved left; both free bits stay zero. Read again it is moved
#   left: 1000. It has the range of 21 bits and the steps of 19.
# Source: arinc429/encoder.py, _encode_bnr, lsb < 11 (int(data) >> (11 - lsb)).
# Output seen: "lsb 11: 111110101100, read 1003.0", "lsb 9: 1111101000, read 1000.0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v arinc429==0.1.7 || exit 2
cat >run.py <<'PY'
from arinc429.decoder import Decoder
from arinc429.encoder import Encoder

for lowest in 11, 9:
    encoder = Encoder()
    encoder.encode(value=1003, lsb=lowest, label=0o101, encoding="BNR")
    found = Decoder().decode(encoder.bword, "BNR", lsb=lowest)
    print(f"lsb {lowest}: {encoder.word >> 8 & 0x1fffff:b}, read {found.value}")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "lsb 11: 111110101100, read 1003.0
lsb 9: 1111101000, read 1000.0" ] || { echo "changed" >&2; exit 1; }
