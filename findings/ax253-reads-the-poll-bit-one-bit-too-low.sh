#!/usr/bin/env bash
# ax253 0.1.5.post1 (PyPI): p_f of a control field is bit 3, not the poll/final bit 4.
#
# Guess: P/F is bit 4 of the control field in I, S and U frames alike (AX.25 2.2 §4.2.1, Figure 4.1), so that p_f of 13 (UI with poll) is true, and of
#   03 false; p_f of an I frame does not depend on its number.
# Seen: p_f is never true for UI frames and always for SABM; of I frames it is a bit of N(S), true for numbers 4 to 7. n_s, n_r and the type beside it
#   are right.
# Source: ax253/frame.py, Control.p_f (bv[4] of a bitarray that counts from the highest bit).
# Output seen: "03: U_UI, P 0, p_f False", "13: U_UI, P 1, p_f False", "2f: U_SABM, P 0, p_f True", "3f: U_SABM, P 1, p_f True", "06: I, N(S) 3, P 0, p_f False", "16: I, N(S) 3, P 1, p_f False", "0e: I, N(S) 7, P 0, p_f True"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v ax253==0.1.5.post1 attrs==24.2.0 bitarray==3.0.0 importlib-metadata==8.5.0 zipp==3.21.0 || exit 2
cat >run.py <<'PY'
from ax253 import Control

for value in (0x03, 0x13, 0x2F, 0x3F, 0x06, 0x16, 0x0E):
    control = Control(value)
    number = f", N(S) {control.n_s}" if control.ftype.name == "I" else ""
    print(f"{value:02x}: {control.ftype.name}{number}, P {value >> 4 & 1}, p_f {control.p_f}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "03: U_UI, P 0, p_f False
13: U_UI, P 1, p_f False
2f: U_SABM, P 0, p_f True
3f: U_SABM, P 1, p_f True
06: I, N(S) 3, P 0, p_f False
16: I, N(S) 3, P 1, p_f False
0e: I, N(S) 7, P 0, p_f True" ] || { echo "changed" >&2; exit 1; }
