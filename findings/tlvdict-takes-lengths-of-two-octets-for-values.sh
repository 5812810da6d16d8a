#!/usr/bin/env bash
# tlvdict 1.2.0 (PyPI): a value of 256 octets or more that it wrote is read with the octets of its length in front, and what follows is lost.
#
# Guess: a length of two octets (BER, X.690 §8.1.3.5) is 256 times the first and the second, and the value begins behind it; what build() writes ParseHex()
#   reads.
# Seen: both octets are multiplied by 256 and added: 82 01 2C is 11,520 instead of 300. 82 01 00 is 256 by luck, but the place to go on at is still that of the
#   82, so that the value begins with "01 00" and its last two octets are taken for the next element. With one octet of length, up to 255, all
#   is well. No error: the element behind is just not there.
# Source: tlvdict/__init__.py, decodeTag (tag_length += tlv_bytes[epos] << 8; epos counts down to pos, and then pos = epos); packTag writes it right.
# Output seen: "255 octets: length 255, read ABAB..., next element 07", "256 octets: length 256, read 0100..., next element None", "300 octets: length 11520,
#   read 012C..., next element None"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v tlvdict==1.2.0 || exit 2
cat >run.py <<'PY'
from tlvdict import TLVDict, decodeTag

for length in 255, 256, 257, 300:
    written = TLVDict([("84", "AB" * length), ("9A", "07")]).build()
    read = TLVDict.ParseHex(written)
    print(f"{length} octets: length {decodeTag(written).length}, read {read['84'][:4]}..., next element {read.get('9A')}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "255 octets: length 255, read ABAB..., next element 07
256 octets: length 256, read 0100..., next element None
257 octets: length 512, read 0101..., next element None
300 octets: length 11520, read 012C..., next element None" ] || { echo "changed" >&2; exit 1; }
