#!/usr/bin/env bash
# opentone 0.1.2 (PyPI): the file of a key lasts twice as long as asked for, and its strongest tones are half of those of the key.
#
# Guess: dtmf_to_wave("1", ...) with 100 ms writes a WAV file of 100 ms whose two tones are 697 and 1209 Hz (ITU-T Q.23), at 8000 samples a second of
#   16 bits, as its header says.
# Seen: each sample is packed into 32 bits, so that a file of 16 bits has a second sample, 0 or -1, behind each: 200 ms, with tones at 348.5 and
#   604.5 Hz and their mirrors at 3395.5 and 3651.5, and nothing at 697. No telephone knows such a key. The package's own
#   decoder takes 16000 samples a second without a look at the header, by which what was written is read again.
# Source: opentone/__init__.py, ToneGenerator._save_wave_file (struct.pack('i', ...)) and ToneDecoder.__init__ (sample_rate=16000).
# Output seen: "header: 8000 a second, 200 ms", "348.5 Hz: strong", "604.5 Hz: strong", "697 Hz: weak", "1209 Hz: weak"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v opentone==0.1.2 || exit 2
cat >run.py <<'PY'
import math, struct, wave
from opentone import ToneGenerator

ToneGenerator(duration=100, pause=0).dtmf_to_wave("1", "one.wav")
with wave.open("one.wav") as file:
    rate, count = file.getframerate(), file.getnframes()
    samples = struct.unpack(f"<{count}h", file.readframes(count))
print(f"header: {rate} a second, {1000 * count // rate} ms")
for tone in (348.5, 604.5, 697, 1209):
    parts = [sum(sample * turn(2 * math.pi * tone * n / rate) for n, sample in enumerate(samples)) for turn in (math.sin, math.cos)]
    print(f"{tone} Hz: {'strong' if math.hypot(*parts) / count > 1000 else 'weak'}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "header: 8000 a second, 200 ms
348.5 Hz: strong
604.5 Hz: strong
697 Hz: weak
1209 Hz: weak" ] || { echo "changed" >&2; exit 1; }
