#!/usr/bin/env bash
# pbgpp 0.2.22 (PyPI): an ORIGIN at the end of the attributes is missing, with withdrawn routes in front a LOCAL_PREF, too, and of two withdrawn routes a short second one.
#
# Guess: all attributes of an UPDATE are listed, in whatever order a speaker sends them, as many octets as Total Path Attribute Length says (RFC 4271 §4.3); so are all withdrawn
#   routes. The order of types is no more than a recommendation (§5).
# Seen: reading stops when the position in the whole message reaches the length of the attributes, that is 4 octets early, and as many more as there are octets of withdrawn routes.
#   A last attribute of up to 4 octets, an ORIGIN or ATOMIC_AGGREGATE, is left out; behind one withdrawn /24, one of up to 8. The withdrawn routes end 2 octets early: 10.0.0.0/8
#   behind a /24 is lost. The message's error is False each time.
# Source: pbgpp/BGP/Update/Message.py, __parse: current_byte_position >= self.path_attributes_length, and the like for the withdrawn routes.
# Output seen: "origin first: 1, 2, 3", "origin last: 2, 3", "local preference last: 5", "behind a withdrawn route: not there", "withdrawn: 203.0.113.0/24"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pbgpp==0.2.22 || exit 2
cat >run.py <<'PY'
import struct

from pbgpp.BGP.Update.Message import BGPUpdateMessage

ORIGIN = bytes.fromhex("40010100")
PATH = bytes.fromhex("40020602010000fbf4")
HOP = bytes.fromhex("400304c0000201")
PREFERENCE = bytes.fromhex("40050400000064")
ROUTE = bytes.fromhex("18c63364")
WITHDRAWN = bytes.fromhex("18cb0071")


def read(attributes, withdrawn=b"", route=ROUTE):
    payload = struct.pack("!H", len(withdrawn)) + withdrawn + struct.pack("!H", len(attributes)) + attributes + route
    message = BGPUpdateMessage(payload, len(payload) + 19, None)
    assert not message.error
    return message


def types(*arguments):
    return [attribute.type for attribute in read(*arguments).path_attributes]


print(f"origin first: {', '.join(map(str, types(ORIGIN + PATH + HOP)))}")
print(f"origin last: {', '.join(map(str, types(PATH + HOP + ORIGIN)))}")
print(f"local preference last: {types(ORIGIN + PATH + HOP + PREFERENCE)[-1]}")
print(f"behind a withdrawn route: {'there' if 5 in types(ORIGIN + PATH + HOP + PREFERENCE, WITHDRAWN) else 'not there'}")
print(f"withdrawn: {', '.join(map(str, read(b'', WITHDRAWN + bytes([8, 10]), b'').withdrawn_routes))}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "origin first: 1, 2, 3
origin last: 2, 3
local preference last: 5
behind a withdrawn route: not there
withdrawn: 203.0.113.0/24" ] || { echo "changed" >&2; exit 1; }
