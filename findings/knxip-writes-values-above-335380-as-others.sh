#!/usr/bin/env bash
# knxip 0.5 (PyPI): values above 335380 that it accepts are written as others: 340000 as 8847.36, 500000 as 328663.04.
#
# Guess: the type has a mantissa of 11 bits and a sign, and an exponent of 4 bits, 0 to 15 (KNX 03_07_02 §3.10, F16), so that all from -671088.64 to
#   670760.96, which is the range that the function checks, can be written within a step.
# Seen: exponents end at 14. Above 335380 the mantissa needs a twelfth bit, which is added to the exponent beside it; negative values below -335544 go
#   the same way. The bytes are valid, and other devices show the other value. Reading is right.
# Source: knxip/conversion.py, float_to_knx2 (range(0, 15)).
# Output seen: "21.5: 0c33, read as 21.50", "300000: 7727, read as 299991.04", "335000: 77fc, read as 334888.96", "340000: 781b, read as 8847.36", "500000: 7beb, read as 328663.04", "-300000: f0d8, read as -300154.88", "-500000: ec15, read as -82165.76"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v knxip==0.5 || exit 2
cat >run.py <<'PY'
from knxip.conversion import float_to_knx2, knx2_to_float

for value in (21.5, 300000, 335000, 340000, 500000, -300000, -500000):
    content = bytes(float_to_knx2(value))
    print(f"{value}: {content.hex()}, read as {knx2_to_float(content):.2f}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "21.5: 0c33, read as 21.50
300000: 7727, read as 299991.04
335000: 77fc, read as 334888.96
340000: 781b, read as 8847.36
500000: 7beb, read as 328663.04
-300000: f0d8, read as -300154.88
-500000: ec15, read as -82165.76" ] || { echo "changed" >&2; exit 1; }
