#!/usr/bin/env bash
# bgphoria 0.0.0 (PyPI): the two kinds of segments in an AS path are changed over: an ordinary path is read as a set, and a set as part of the path.
#
# Guess: parse_update_message() follows RFC 4271 §4.3: type 1 is AS_SET and type 2 AS_SEQUENCE. A path over three systems is a list of three, and a
#   set of an aggregate, of which its code makes a list inside the list, stands as one item behind them.
# Seen: the code for sets runs for type 2, so that each path of the Internet is one list inside a list, of length 1; the code for sequences runs for type 1,
#   and the members of a set are systems of the path, in an order that means nothing. A comparison by length finds all paths equal. Communities
#   are read by two octets and not by four (RFC 1997): 64500:100 is two items, with nothing that tells where one ends.
# Source: bgphoria/messages.py, parse_update_message (segment_type == 1 and == 2; attr_type == 8).
# Output seen: "sequence: [[64500, 64501, 64502]]", "sequence and set: [[64500], 64510, 64511]", "communities: [64500, 100, 64500, 200]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v bgphoria==0.0.0 || exit 2
cat >run.py <<'PY'
import struct
from bgphoria.messages import parse_update_message

def segment(kind, *systems):
    return bytes([kind, len(systems)]) + struct.pack(f"!{len(systems)}I", *systems)

def read(*attributes):
    body = b"".join(bytes([0x40, kind, len(value)]) + value for kind, value in attributes)
    payload = struct.pack("!HH", 0, len(body)) + body + bytes([24, 192, 0, 2])
    return parse_update_message("peer", "192.0.2.1", 64500, payload, as4byte=True)

first = [(1, b"\0"), (3, bytes([192, 0, 2, 1]))]
print("sequence:", read(*first, (2, segment(2, 64500, 64501, 64502)))["as_path"])
print("sequence and set:", read(*first, (2, segment(2, 64500) + segment(1, 64510, 64511)))["as_path"])
communities = (8, struct.pack("!4H", 64500, 100, 64500, 200))
print("communities:", read(*first, (2, segment(2, 64500)), communities)["communities"])
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "sequence: [[64500, 64501, 64502]]
sequence and set: [[64500], 64510, 64511]
communities: [64500, 100, 64500, 200]" ] || { echo "changed" >&2; exit 1; }
