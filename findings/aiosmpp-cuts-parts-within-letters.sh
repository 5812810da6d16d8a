#!/usr/bin/env bash
# aiosmpp 1.0.3 (PyPI): in the parts of a long message in UCS-2 a letter is cut in two, and 100 euro signs are one part of 200 septets.
#
# Guess: a part of a message in UCS-2 has 67 letters, 134 octets behind the six of its header (TS 23.040, §9.2.3.24.1), and 71 letters are two parts;
#   160 septets are the most for one part in the GSM alphabet, in which a euro sign is two.
# Seen: 71 letters are three parts of 67, 67 and 8 octets: a part is half as long as it could be, and the 34th letter begins in one part and ends in the
#   next. Whether a text is too long is asked of its letters, not of what they are encoded as: 100 euro signs go out as one short_message of 200
#   septets. In longer ones the escape is parted from its letter.
# Source: aiosmpp/gsm.py, make_parts (len(text) > split_size), make_parts_encoded (part_size in octets), ENCODINGS.
# Output seen: "71 letters: 3 parts of 67 67 8 octets, first ends in 04", "100 euro signs: 1 part of 200", "152 letters, euro sign, 20: first ends in 1b"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v aiosmpp==1.0.3 six==1.17.0 2>/dev/null || exit 2
cat >run.py <<'PY'
from aiosmpp import gsm

HEADER = 6


def parts(text):
    found, _, esm_class = gsm.make_parts(text)
    return [part[HEADER if esm_class & 0x40 else 0:] for part in found]


letters = parts("ж" * 71)
print(f"71 letters: {len(letters)} parts of", *map(len, letters), f"octets, first ends in {letters[0][-1:].hex()}")
euros = parts("€" * 100)
print(f"100 euro signs: {len(euros)} part of {len(euros[0])}")
print(f"152 letters, euro sign, 20: first ends in {parts('a' * 152 + '€' + 'a' * 20)[0][-1:].hex()}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "71 letters: 3 parts of 67 67 8 octets, first ends in 04
100 euro signs: 1 part of 200
152 letters, euro sign, 20: first ends in 1b" ] || { echo "changed" >&2; exit 1; }
