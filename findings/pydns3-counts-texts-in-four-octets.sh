#!/usr/bin/env bash
# pydns3 0.0.10 (PyPI): each TXT record of a server is read as an empty text, and those that it sends begin with three empty strings.
#
# Guess: the data of a TXT record is one or more strings, each behind one octet with its length (RFC 1035 §3.3, §3.3.14): "v=1" is 03 76 3d 31.
# Seen: the length is read and written as four octets. 03 76 3d 31 is a length of 58 million, of which nothing is there: the text is b"", without an error, and the record
#   behind it is read as usual. The package sends 00 00 00 03 "v=1", which others read as three empty strings and "v=1". Between two programs with it all texts are right.
# Source: pydns/content.py, TXT.text: HintedBytes(U32).
# Output seen: "read: b''", "sent: 00000003763d31"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pydns3==0.0.10 pyderive3==0.0.8 pypool3==0.0.4 pyserve3==0.0.7 pystructs3==0.0.8 typing-extensions==4.16.0 || exit 2
cat >run.py <<'PY'
import struct

from pydns.content import TXT
from pydns.message import Message

NAME = b"\1a\7example\0"
DATA = b"\3v=1"
answer = struct.pack("!6H", 1, 0x8400, 0, 1, 0, 0) + NAME + struct.pack("!HHIH", 16, 1, 60, len(DATA)) + DATA
print(f"read: {Message.unpack(answer).answers[0].content.text!r}")
print(f"sent: {TXT(b'v=1').pack().hex()}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "read: b''
sent: 00000003763d31" ] || { echo "changed" >&2; exit 1; }
