#!/usr/bin/env bash
# PyDTMF 1.0.0 (PyPI): its detector for Bell's multi-frequency digits, the second of the two that it has, hears none, however clear they are.
#
# Guess: detect_mf() and the switch --mf find the digits of two tones out of 700 to 1700 Hz, as detect_dtmf() finds those of the keypad; the README
#   lists both. Tones of 100 ms with pauses of 70 ms, as registers send them, are far above the thresholds.
# Seen: an empty text each time. The last five blocks are remembered as the number -1 for "something" in place of the digit, and a digit is
#   compared with them: a letter never equals -1. The same loop for the keypad's digits keeps letters, and finds them.
# Source: PyDTMF/core.py, detect_mf (hits[4] = hit_flag, where Asterisk's code, which it names, keeps the digit).
# Output seen: "keypad: 15", "MF: ''"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v PyDTMF==1.0.0 || exit 2
cat >run.py <<'PY'
import math
from PyDTMF import from_pcm

def sound(pairs):
    samples = []
    for pair in pairs:
        samples += [int(sum(12000 * math.sin(2 * math.pi * tone * n / 8000) for tone in pair)) for n in range(800)] + [0] * 560
    return samples

keypad, _ = from_pcm(sound([(697, 1209), (770, 1336)]), 8000)
print(f"keypad: {keypad}")
# KP 1 5 ST
_, registers = from_pcm(sound([(1100, 1700), (700, 900), (900, 1300), (1500, 1700)]), 8000, detect_mf_mode=True)
print(f"MF: {registers!r}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "keypad: 15
MF: ''" ] || { echo "changed" >&2; exit 1; }
