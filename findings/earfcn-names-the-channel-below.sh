#!/usr/bin/env bash
# earfcn 0.0.3 (PyPI): a third of the downlink frequencies of bands 1, 3 and 20 get the number of the channel below.
#
# Guess: a frequency that earfcn2freq gives leads back to its channel, and 2110.1 MHz is EARFCN 1 of band 1: N = (F - F_low) / 0.1 + N_offset
#   (TS 36.101 §5.7.3), rounded, as a frequency in steps of 100 kHz is seldom an exact binary number.
# Seen: the quotient is cut, not rounded: 0.9999999999990905 is 0. Of the 1,650 channels of bands 1, 3 and 20, 540 come back one too low.
# Source: earfcn/convert.py, freq2earfcn (int() of the quotient).
# Output seen: "2110.1 MHz: 0", "540 of 1650 come back as another"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v earfcn==0.0.3 || exit 2
cat >run.py <<'PY'
from earfcn.convert import earfcn2band, earfcn2freq, freq2earfcn

print(f"2110.1 MHz: {dict(freq2earfcn(2110.1))[1]}")
numbers = [*range(600), *range(1200, 1950), *range(6150, 6450)]
others = [n for n in numbers if dict(freq2earfcn(round(earfcn2freq(n), 1)))[earfcn2band(n)] != n]
print(f"{len(others)} of {len(numbers)} come back as another")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "2110.1 MHz: 0
540 of 1650 come back as another" ] || { echo "changed" >&2; exit 1; }
