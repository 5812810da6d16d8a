#!/usr/bin/env bash
# pytlv-codec 0.3.1 (PyPI): a length whose encoding is HEX or BINARY is written in decimal digits, and read so.
#
# Guess: Encoding.HEX and Encoding.BINARY of a length, "2 hex chars in 1 byte", are the length as a number, and Encoding.BCD its decimal digits, two in a byte: that
#   is how the three differ. Sixteen octets are "10" in the first two and "16" in the third.
# Seen: all three are "16", which is the octet 0x16 on the wire, 22. From ten octets on the receiver reads too far, and a stream from outside,
#   "5A 10" and 16 octets, ends in the middle of the value; one with a length of 0A is an InvalidTLVError.
# Source: pytlv_codec/codec.py, _format_length (str(length)), _parse_length (int(length_str)): length_encoding is not looked at. README: "How encodings affect
#   bytes-on-wire". The tag's encoding is heeded.
# Output seen: "HEX: 5A16, 16 octets", "BINARY: 5A16, 16 octets", "BCD: 5A16, 16 octets", "5A0A and 10 octets: InvalidTLVError", "5A10 and 16 octets: InvalidTLVError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pytlv-codec==0.3.1 || exit 2
cat >run.py <<'PY'
from pytlv_codec import Codec, CodecConfig, Encoding, PytlvError, ValueType


def codec(encoding):
    return Codec(CodecConfig(tag_encoding=Encoding.HEX, length_size=2, length_encoding=encoding, value_type=ValueType.HEX))


for encoding in Encoding.HEX, Encoding.BINARY, Encoding.BCD:
    text = codec(encoding).encode({"5A": "11" * 16})
    print(f"{encoding.name}: {text[:4]}, {len(text[4:]) // 2} octets")
for text in "5A09" + "11" * 9, "5A0A" + "11" * 10, "5A10" + "11" * 16:
    try:
        seen = codec(Encoding.HEX).decode(text)
        seen = f"{len(seen['5A']) // 2} octets"
    except PytlvError as error:
        seen = type(error).__name__
    print(f"{text[:4]} and {len(text[4:]) // 2} octets: {seen}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "HEX: 5A16, 16 octets
BINARY: 5A16, 16 octets
BCD: 5A16, 16 octets
5A09 and 9 octets: 9 octets
5A0A and 10 octets: InvalidTLVError
5A10 and 16 octets: InvalidTLVError" ] || { echo "changed" >&2; exit 1; }
