#!/usr/bin/env bash
# opensip 0.2.1 (PyPI): its mu-law encoder puts each sample a segment too high: silence becomes 260, and 1000 becomes 3004.
#
# Guess: PCMU of 0 is 0xFF (ITU-T G.711, table 2), and a sample that went through encoder and decoder is within its step of what it was.
# Seen: the encoder counts the bits above the seventh from one on, though the bias of 132 has set the first already: each sample is in the segment
#   above and comes back about three times as loud, from 12,000 on as loud as can be. Silence is 0xE7, a tone of 260. Its decoder has all
#   256 values right, so that the fault is in what the other party hears; A-law beside it is right both ways.
# Source: opensip/codecs.py, _linear_to_ulaw_sample (seg of 0..8, shift by seg + 3). ITU-T G.711.
# Output seen: "PCMU 0: e7, 260", "PCMU 100: e1, 356", "PCMU 1000: b7, 3004", "PCMU 16000: 80, 32124", "PCMA 1000: fa, 1008", "decoder: 256 right"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v opensip==0.2.1 || exit 2
cat >run.py <<'PY'
import struct

from opensip.codecs import get_codec

for name, samples in (("PCMU", (0, 100, 1000, 16000)), ("PCMA", (1000,))):
    encode, decode = get_codec(name)
    for sample in samples:
        octet = encode(struct.pack("<h", sample))
        print(f"{name} {sample}: {octet.hex()}, {struct.unpack('<h', decode(octet))[0]}")


def expected(octet):
    """The value of a mu-law octet by G.711, in 16 bits."""
    octet ^= 0xFF
    value = (((octet & 0x0F) << 3) + 132 << (octet >> 4 & 7)) - 132
    return -value if octet & 0x80 else value


decode = get_codec("PCMU")[1]
print("decoder:", sum(struct.unpack("<h", decode(bytes([octet])))[0] == expected(octet) for octet in range(256)), "right")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "PCMU 0: e7, 260
PCMU 100: e1, 356
PCMU 1000: b7, 3004
PCMU 16000: 80, 32124
PCMA 1000: fa, 1008
decoder: 256 right" ] || { echo "changed" >&2; exit 1; }
