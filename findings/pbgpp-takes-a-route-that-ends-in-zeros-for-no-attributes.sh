#!/usr/bin/env bash
# pbgpp 0.2.22 (PyPI): an UPDATE that announces 10.0.0.0/24 has no attributes and seven routes, among them 1.1.0.64/64; behind a default route all others are shifted.
#
# Guess: the attributes are as long as Total Path Attribute Length says (RFC 4271 §4.3), whatever the last octets of the message are; a prefix of length 0 has no octets.
# Seen: if the last two octets of the message are zeros, there are said to be no attributes, and these are read as routes: 10.0.0.0/24 ends so, as do 10.1.0.0/24 and
#   the like; 10.0.1.0/24 does not and is right. For 0.0.0.0/0 an octet is read all the same, the length of the next one: 0.0.0.0/0 and 198.51.100.0/24 are 24.0.0.0/0. The message's
#   error is False.
# Source: pbgpp/BGP/Update/Message.py, __parse: self.payload[-2:] is compared with 0 before all else; "if 0 <= prefix_length <= 8" reads one octet.
# Output seen: "10.0.1.0/24: 3 attributes, 10.0.1.0/24", "10.0.0.0/24: 0 attributes, 1.1.0.64/64 and 6 more", "default first: 3 attributes, 24.0.0.0/0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pbgpp==0.2.22 || exit 2
cat >run.py <<'PY'
import struct

from pbgpp.BGP.Update.Message import BGPUpdateMessage

ATTRIBUTES = bytes.fromhex("40010100" "40020602010000fbf4" "400304c0000201")


def show(name, routes):
    payload = struct.pack("!HH", 0, len(ATTRIBUTES)) + ATTRIBUTES + bytes.fromhex(routes)
    message = BGPUpdateMessage(payload, len(payload) + 19, None)
    assert not message.error
    rest = f" and {len(message.nlri) - 1} more" if len(message.nlri) > 1 else ""
    print(f"{name}: {len(message.path_attributes)} attributes, {message.nlri[0]}{rest}")


show("10.0.1.0/24", "180a0001")
show("10.0.0.0/24", "180a0000")
show("default first", "0018c63364")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "10.0.1.0/24: 3 attributes, 10.0.1.0/24
10.0.0.0/24: 0 attributes, 1.1.0.64/64 and 6 more
default first: 3 attributes, 24.0.0.0/0" ] || { echo "changed" >&2; exit 1; }
