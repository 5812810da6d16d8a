#!/usr/bin/env bash
# pydhcp3 0.0.6 (PyPI): the address of the next server is dropped from each message that is read, and options behind a pad, too.
#
# Guess: siaddr, the server of the next step of bootstrap (RFC 2131 §2), is the message's server_addr after unpack, as your_addr is yiaddr; a pad option is one octet
#   of no meaning that may stand between others, and the list ends at 255 (RFC 2132 §3.1, §3.2).
# Seen: server_addr is 0.0.0.0 whatever was sent, and a message that is read and packed again names no boot server. Reading stops at the first octet of zero:
#   the address mask behind one pad is missing, without an error. Messages of this package itself have no pads.
# Source: pydhcp/v4/message.py, Message.unpack: no server_addr among the arguments; "while raw[ctx.index] not in (0, OptionCode.End)".
# Output seen: "yours: 192.0.2.10, next server: 0.0.0.0", "mask: 255.255.255.0", "mask behind a pad: None"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pydhcp3==0.0.6 pyderive3==0.0.8 pypool3==0.0.4 pyserve3==0.0.7 pystructs3==0.0.8 typing-extensions==4.16.0 || exit 2
cat >run.py <<'PY'
import socket
import struct

from pydhcp.v4.message import Message

HEAD = struct.pack(
    "!BBBBIHH4s4s4s4s16s64s128sI", 2, 1, 6, 0, 7, 0, 0, bytes(4), socket.inet_aton("192.0.2.10"), socket.inet_aton("192.0.2.5"), bytes(4),
    bytes.fromhex("020000000001"), b"", b"boot", 0x63825363)
KIND = bytes([53, 1, 5])
MASK = bytes([1, 4, 255, 255, 255, 0])
END = bytes([255])
message = Message.unpack(HEAD + KIND + MASK + END)
print(f"yours: {message.your_addr}, next server: {message.server_addr}")
print(f"mask: {message.subnet_mask()}")
print(f"mask behind a pad: {Message.unpack(HEAD + KIND + bytes(1) + MASK + END).subnet_mask()}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "yours: 192.0.2.10, next server: 0.0.0.0
mask: 255.255.255.0
mask behind a pad: None" ] || { echo "changed" >&2; exit 1; }
