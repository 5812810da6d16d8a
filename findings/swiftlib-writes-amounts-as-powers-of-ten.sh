#!/usr/bin/env bash
# swiftlib 1.0.1 (PyPI): an amount of a thousand that was normalized is written "1E+3,".
#
# Guess: an amount is digits with one comma (15d: SWIFT User Handbook, "Field formats"); a Decimal is written by its value, however many digits it
#   keeps.
# Seen: str() of the Decimal is taken. What normalize() returns, or a product of powers of ten, is in scientific form: 1E+3,. The reader takes it back,
#   so that a round trip shows nothing, but the network refuses the letter. Zero with eight decimals is "0E-8,".
# Source: swiftlib/mt/fields.py, format_swift_amount.
# Output seen: "1000: 1000, read 1000", "1000: 1E+3, read 1E+3", "1234.5: 1234,5 read 1234.5", "0.00000000: 0E-8, read 0E-8"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v swiftlib==1.0.1 || exit 2
cat >run.py <<'PY'
from decimal import Decimal

from swiftlib.mt.fields import format_swift_amount, parse_swift_amount

for amount in Decimal("1000"), Decimal("1000.00").normalize(), Decimal("1234.50").normalize(), Decimal("0").quantize(Decimal("1e-8")):
    text = format_swift_amount(amount)
    print(f"{amount:f}: {text} read {parse_swift_amount(text)}")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "1000: 1000, read 1000
1000: 1E+3, read 1E+3
1234.5: 1234,5 read 1234.5
0.00000000: 0E-8, read 0E-8" ] || { echo "changed" >&2; exit 1; }
