#!/usr/bin/env bash
# python-gsmmodem-new 0.13.0 (PyPI): a text of 8, 16, 24 ... letters that ends in "@" is read without it, the package's own, too.
#
# Guess: TP-UDL counts septets (TS 23.040, §9.2.3.16), so that 7 octets with a length of 8 are eight letters, also if the last septet is 0, which is
#   "@" (TS 23.038, §6.2.1), and with a length of 7 they are seven; what encodeSmsSubmitPdu wrote decodeSmsPdu reads.
# Seen: the length is compared with octets, not with septets; what is left in the last octet is taken for a letter unless it is 0. "Example@" is
#   "Example". Any other eighth letter stays, and so does "@" at any other place. Behind a header of seven octets, as parts with a
#   reference of 16 bits have it, the first letter is missing as well.
# Source: gsmmodem/pdu.py, unpackSeptets (numberOfSeptets, "if b"), _decodeUserData (shift).
# Output seen: "written: length 8, 457CB80D679701", "'Example@': 'Example'", "'Example!': 'Example!'", "'Examples of e-mail@': 'Examples of e-mail@'",
#   "'me: example.com@': 'me: example.com'"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v python-gsmmodem-new==0.13.0 pyserial==3.5 || exit 2
cat >run.py <<'PY'
from gsmmodem.pdu import decodeSmsPdu, encodeSmsSubmitPdu


def written(text):
    (part,) = encodeSmsSubmitPdu("+12025550123", text)
    return str(part)


octets = bytes.fromhex(written("Example@"))
print(f"written: length {octets[-8]}, {octets[-7:].hex().upper()}")
for text in ("Example@", "Example!", "Examples of e-mail@", "me: example.com@"):
    print(f"{text!r}: {decodeSmsPdu(written(text))['text']!r}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "written: length 8, 457CB80D679701
'Example@': 'Example'
'Example!': 'Example!'
'Examples of e-mail@': 'Examples of e-mail@'
'me: example.com@': 'me: example.com'" ] || { echo "changed" >&2; exit 1; }
