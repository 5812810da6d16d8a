#!/usr/bin/env bash
# simplesip 0.1.5 (PyPI): each sample of A-law is read with the opposite sign, and written so by the package's encoder; mu-law is right.
#
# Guess: in A-law the sign bit is 1 for positive values (ITU-T G.711, table 1a): d5 is the smallest positive value, 8 on a scale of 16 bits, aa is 32256, 2a is -32256.
# Seen: the bit is taken as in a binary number, 1 for negative: aa is read as -32256, and 32000 is written as 2a. Encoder and decoder agree with each other; with all others the
#   wave is upside down: mixed with an unchanged copy of itself it is silence.
# Source: simplesip/client.py, _pcm_to_alaw (sign = 0x80 if sample < 0) and _alaw_to_pcm (if sign: linear = -linear).
# Output seen: "aa: -32256", "d5: -8", "2a: 32256", "32000: 2a", "-32000: aa", "mu-law 80: 32124"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v simplesip==0.1.5 numpy==1.26.4 || exit 2
cat >run.py <<'PY'
import struct

from simplesip.client import SimpleSIPClient

client = SimpleSIPClient.__new__(SimpleSIPClient)
for octet in (0xAA, 0xD5, 0x2A):
    print(f"{octet:02x}: {struct.unpack('<h', client._alaw_to_pcm(bytes([octet])))[0]}")
for sample in (32000, -32000):
    print(f"{sample}: {client._pcm_to_alaw(struct.pack('<h', sample)).hex()}")
print(f"mu-law 80: {struct.unpack('<h', client._ulaw_to_pcm(bytes([0x80])))[0]}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "aa: -32256
d5: -8
2a: 32256
32000: 2a
-32000: aa
mu-law 80: 32124" ] || { echo "changed" >&2; exit 1; }
