#!/usr/bin/env bash
# python-messaging 0.5.13 (PyPI): notices that voice mail waits are read as UCS-2 or are an error, while those that none waits are read.
#
# Guess: in the data coding groups 1100 and 1101 the text is of seven bits, and bit 3 says whether the indication is set active or inactive (TS 23.038,
#   §4); the two alphabets of the group 00xx stand in bits 3 and 2 of that group alone.
# Seen: bit 3 is UCS-2 in every group. D8, "voice mail is waiting", gives half as many letters, none of them right, or with an odd count of octets an
#   IndexError; D0, "none is waiting", is right. What remains is the notice that takes the sign away.
# Source: messaging/sms/deliver.py, SmsDeliver._set_pdu (dcs & 0x08), _process_message.
# Output seen: "00: '3 new messages'", "D0: '3 new messages'", "D8: IndexError", "D8, 16 letters: 7 letters, none right", "C8: IndexError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v python-messaging==0.5.13 || exit 2
cat >run.py <<'PY'
from messaging.sms import SmsDeliver


def deliver(coding, text):
    bits = sum(ord(letter) << 7 * place for place, letter in enumerate(text))
    packed = bits.to_bytes((7 * len(text) + 7) // 8, "little")
    return f"00040B912120550521F300{coding}62110302000000{len(text):02X}{packed.hex().upper()}"


for coding in ("00", "D0", "D8"):
    try:
        print(f"{coding}: {SmsDeliver(deliver(coding, '3 new messages')).text!r}")
    except IndexError as error:
        print(f"{coding}: {type(error).__name__}")
text = "10 new messages."
read = SmsDeliver(deliver("D8", text)).text
print(f"D8, {len(text)} letters: {len(read)} letters, {'some' if set(read) & set(text) else 'none'} right")
try:
    print(f"C8: {SmsDeliver(deliver('C8', '3 new messages')).text!r}")
except IndexError as error:
    print(f"C8: {type(error).__name__}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "00: '3 new messages'
D0: '3 new messages'
D8: IndexError
D8, 16 letters: 7 letters, none right
C8: IndexError" ] || { echo "changed" >&2; exit 1; }
