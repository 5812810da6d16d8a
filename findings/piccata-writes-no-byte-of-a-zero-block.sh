#!/usr/bin/env bash
# piccata 2.0.3 (PyPI): the only block of 16 bytes is written with a length of one and no byte, so that the payload's marker is read as the option.
#
# Guess: block 0 without more, of the smallest size, is the number 0, which is written as an option of no bytes (RFC 7252 §3.2: zero is the empty
#   string; RFC 7959 §2.2: the option has 0 to 3 bytes); the package's own reader gives back what was written.
# Seen: the value has its zeros in front removed, as it must be, but the length is counted from the number of the block alone and is 1. The
#   next byte, ff, becomes the option's value, and the payload is read as further options: an error here, other options for
#   other payloads. Blocks with more to come, with another number or of 32 bytes and more are right, as all but the smallest device has them.
# Source: piccata/option.py, BlockOption._length.
# Output seen: "0/0/16: d10eff6f6e, ValueError", "0/1/16: d10e08ff6f6e, b'on'", "1/0/16: d10e10ff6f6e, b'on'", "0/0/32: d10e01ff6f6e, b'on'"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v piccata==2.0.3 || exit 2
cat >run.py <<'PY'
from piccata.constants import CON, PUT
from piccata.message import Message

for number, more, exponent in ((0, False, 0), (0, True, 0), (1, False, 0), (0, False, 1)):
    message = Message(mtype=CON, mid=1, code=PUT, payload=b"on")
    message.opt.block1 = number, more, exponent
    raw = message.encode()
    try:
        read = Message.decode(raw).payload
    except ValueError as error:
        read = type(error).__name__
    print(f"{number}/{int(more)}/{16 << exponent}: {raw[4:].hex()}, {read}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "0/0/16: d10eff6f6e, ValueError
0/1/16: d10e08ff6f6e, b'on'
1/0/16: d10e10ff6f6e, b'on'
0/0/32: d10e01ff6f6e, b'on'" ] || { echo "changed" >&2; exit 1; }
