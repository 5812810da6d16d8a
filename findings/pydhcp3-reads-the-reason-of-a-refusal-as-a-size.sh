#!/usr/bin/env bash
# pydhcp3 0.0.6 (PyPI): the text of a DHCPNAK, "busy", is read as a maximum size of 25205 octets, and the size is sent as text.
#
# Guess: option 56 is a message for people (RFC 2132 §9.9) and 57 the maximum size of a message (§9.10); the package has a class for each.
# Seen: both classes have number 56, and the later one wins when a message is read: the first two letters are the size, the rest of the text is lost. Option 57 of a peer
#   is unknown. MaxMessageSize(1500) is sent as option 56, so that servers see a message of two odd characters and answer with 576 octets.
# Source: pydhcp/v4/options.py, MaxMessageSize.opcode = OptionCode.Message.
# Output seen: "56 'busy': MaxMessageSize 25205", "57 1500: Unknown", "sent: 380205dc"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pydhcp3==0.0.6 pyderive3==0.0.8 pypool3==0.0.4 pyserve3==0.0.7 pystructs3==0.0.8 typing-extensions==4.16.0 || exit 2
cat >run.py <<'PY'
from pydhcp.v4.options import MaxMessageSize, pack_option, unpack_option

refusal = unpack_option(bytes([56, 4]) + b"busy")
print(f"56 'busy': {type(refusal).__name__} {getattr(refusal, 'size', None)}")
print(f"57 1500: {type(unpack_option(bytes([57, 2, 5, 220]))).__name__}")
print(f"sent: {pack_option(MaxMessageSize(1500)).hex()}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "56 'busy': MaxMessageSize 25205
57 1500: Unknown
sent: 380205dc" ] || { echo "changed" >&2; exit 1; }
