#!/usr/bin/env bash
# smspdudecoder 2.2.0 (PyPI): names of seven letters, as companies have them instead of a number, are read with an @ behind.
#
# Guess: the address length counts semi-octets of use (TS 23.040 §9.1.2.5): 0d, 13 semi-octets or 52 bits, hold seven septets and no
#   eighth, so that "Example" is seven letters. The class has the parameter for fill at the end (strip_padding), and the text
#   itself, whose length counts septets, is read right with seven letters.
# Seen: the octets are unpacked without the length: the seven fill bits of the seventh octet are an @. Names of six, eight, nine and
#   ten letters are right; eleven is the most an address holds. A list of senders by name never has "Example".
# Who cares: those who filter short messages (SMS firewalls on MAP and Diameter) or route answers by the sender's name.
# Source: smspdudecoder/fields.py, Address.decode; codecs.py, GSM.decode strips a carriage return only.
# Output seen: "Sample: Sample, text Sample", "Example: Example@, text Example", "Examples: Examples, text Examples"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install smspdudecoder==2.2.0 bitstring==4.3.1 || exit 2
cat >run.py <<'PY'
from smspdudecoder.codecs import GSM
from smspdudecoder.easy import read_incoming_sms

for name in ("Sample", "Example", "Examples"):
    semi_octets = -(-7 * len(name) // 4)
    address = f"{semi_octets:02X}D0{GSM.encode(name)}"
    # SMS-DELIVER without the number of a centre: the address, protocol and coding 0, a time, and the name once more as text.
    deliver = f"0004{address}000062119221000000{len(name):02X}{GSM.encode(name)}"
    message = read_incoming_sms(deliver)
    print(f"{name}: {message['sender']}, text {message['content']}")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "Sample: Sample, text Sample
Example: Example@, text Example
Examples: Examples, text Examples" ] || { echo "changed" >&2; exit 1; }
