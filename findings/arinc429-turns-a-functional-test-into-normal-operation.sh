#!/usr/bin/env bash
# arinc429 0.1.7 (PyPI): a negative number sets a bit of the status beside it, and is read as a large positive one.
#
# Guess: a binary number has its sign in bit 29, in two's complement, and the status in bits 30 and 31 (ARINC 429, part 1: 10 functional test, 11 normal
#   operation); the encoder takes negative values, and the status is as given.
# Seen: six bits of the number are kept where five are, so that the copy of the sign is the lower bit of the status: a test becomes normal operation,
#   "failure warning" (00) becomes "no computed data" (01). The decoder has no sign: -100 is 524188, whatever the status. Positive numbers are right.
# Source: arinc429/encoder.py, _encode_bnr (& 0x3F); arinc429/decoder.py, _decode_bnr.
# Output seen: "100 with status 0: status 0, value 100.0", "100 with status 2: status 2, value 100.0", "-100 with status 0: status 1, value 524188.0", "-100 with status 2: status 3, value 524188.0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v arinc429==0.1.7 || exit 2
cat >run.py <<'PY'
from arinc429.decoder import Decoder
from arinc429.encoder import Encoder

for value in 100, -100:
    for status in 0, 2:
        encoder = Encoder()
        encoder.encode(value=value, label=0o101, ssm=status, encoding="BNR")
        found = Decoder().decode(encoder.bword, "BNR")
        print(f"{value} with status {status}: status {found.ssm}, value {found.value}")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "100 with status 0: status 0, value 100.0
100 with status 2: status 2, value 100.0
-100 with status 0: status 1, value 524188.0
-100 with status 2: status 3, value 524188.0" ] || { echo "changed" >&2; exit 1; }
