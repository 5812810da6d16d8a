#!/usr/bin/env bash
# python-messaging 0.5.13 (PyPI): a Message-Size of an MMS is written with its octets in reverse order, and 1000 is read as 59,395, by itself, too.
#
# Guess: a long integer of WSP has the most significant octet first (WAP-230-WSP, §8.4.2.1: Multi-octet-integer, big-endian), so that 1000 is 02 03 e8;
#   what MMSMessage.encode wrote MMSMessage.from_data reads.
# Seen: the encoder takes the lowest octet first and does not turn the order; the decoder has it right. Sizes up to 255 are whole, so that a short
#   test does not show it, and so are those that read the same both ways. A telephone that asks before it fetches more than 300 kB
#   asks, or does not, by a number by chance: 1,000,000 is 4,211,215.
# Source: messaging/mms/wsp_pdu.py, Encoder.encode_long_integer (append of 0xff & longInt, no reversal), Decoder.decode_long_integer.
# Output seen: "100: 0164, 100", "255: 01ff, 255", "1000: 02e803, 59395", "1000000: 0340420f, 4211215"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v python-messaging==0.5.13 || exit 2
cat >run.py <<'PY'
from messaging.mms.message import MMSMessage

SIZE = 0x8E  # Message-Size, with the bit of a short integer

for size in (100, 255, 1000, 1_000_000):
    notice = MMSMessage()
    notice.headers.update({"Message-Type": "m-notification-ind", "Transaction-Id": "1", "MMS-Version": "1.0", "Message-Size": size})
    octets = bytes(notice.encode())
    at = octets.index(SIZE) + 1
    print(f"{size}: {octets[at : at + 1 + octets[at]].hex()}, {MMSMessage.from_data(octets).headers['Message-Size']}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "100: 0164, 100
255: 01ff, 255
1000: 02e803, 59395
1000000: 0340420f, 4211215" ] || { echo "changed" >&2; exit 1; }
