#!/usr/bin/env bash
# dtmf 1.1.0 (PyPI): at its sampling rate of 8000 Hz the tones of the keys have wrong frequencies, 941 Hz is 889 and 697 is 667.
#
# Guess: a generated 1 is 697 and 1209 Hz; ITU-T Q.23 allows 1.8 %, and receivers refuse what is 3.5 % off (Q.24).
# Seen: a tone is one period that is repeated, of a whole number of samples rounded up, so that 8000/941 = 8.5 samples become nine: 889 Hz, 5.5 % low.
#   The four low tones and 1209 Hz are 4.4 to 6.1 % low, 1477 Hz is 1333, 9.7 % low, as 1336 Hz is: 3 and 2 sound the same, and no key has two right
#   tones. At 44100 Hz 1336 and 1633 Hz are still 2.9 and 3.6 % low. Any test of a detector that is fed from it, its own beside it included, tests something else.
# Source: dtmf/_generator.py, _sine_wave (period = ceil(sample_rate / frequency), then cycle). ITU-T Q.23, Q.24.
# Output seen: "1: 667 1143", "5: 727 1333", "9: 800 1333", "#: 889 1333", "D: 889 1600"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v dtmf==1.1.0 || exit 2
cat >run.py <<'PY'
import cmath

import dtmf
from dtmf._generator import GenerationParams

RATE = 8000


def strongest(samples, first, last):
    def level(frequency):
        return abs(sum(sample * cmath.exp(-2j * cmath.pi * frequency * place / RATE) for place, sample in enumerate(samples)))

    return max(range(first, last), key=level)


for key in "159#D":
    samples = list(dtmf.generate(dtmf.parse(key), GenerationParams(mark_duration=0.25), RATE))[: RATE // 4]
    print(f"{key}: {strongest(samples, 600, 1050)} {strongest(samples, 1100, 1750)}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "1: 667 1143
5: 727 1333
9: 800 1333
#: 889 1333
D: 889 1600" ] || { echo "changed" >&2; exit 1; }
