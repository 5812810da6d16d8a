#!/usr/bin/env bash
# mrtparse 2.2.0 (PyPI): an UPDATE is refused as a whole if one prefix has a bit set behind its length.
#
# Guess: the bits that fill the last octet of a prefix are irrelevant (RFC 4271 §4.3), so that 25 bits c6.33.64.01 are 198.51.100.0/25, as routers
#   take them.
# Seen: "Invalid prefix 198.51.100.1/25", after the same octets were tried as prefixes with path identifiers (ADD-PATH) too. The clean prefix beside
#   it is lost as well, and the record has no data of the message.
# Source: mrtparse/base.py, val_addr ("is invalid") and val_nlri.
# Output seen: "bits clear: 203.0.113.0/24, 198.51.100.0/25", "bits set: Invalid prefix 198.51.100.1/25"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v mrtparse==2.2.0 || exit 2
cat >run.py <<'PY'
import struct
from mrtparse import Reader

def read(kind, content):
    message = b"\xff" * 16 + struct.pack(">HB", 19 + len(content), kind) + content
    peers = struct.pack(">IIHH4s4s", 64500, 64501, 0, 1, bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2]))
    with open("x.mrt", "wb") as file:  # one record BGP4MP_MESSAGE_AS4
        file.write(struct.pack(">IHHI", 0, 16, 4, len(peers + message)) + peers + message)
    return next(iter(Reader("x.mrt")))

attributes = bytes.fromhex("40010100" "400200" "400304c0000201")
for name, prefix in (("bits clear", "19c6336400"), ("bits set", "19c6336401")):
    update = struct.pack(">HH", 0, len(attributes)) + attributes + bytes.fromhex("18cb0071" + prefix)
    entry = read(2, update)
    routes = [f"{route['prefix']}/{route['length']}" for route in entry.data["bgp_message"]["nlri"]] if not entry.err else entry.err_msg
    print(f"{name}: {routes if isinstance(routes, str) else ', '.join(routes)}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "bits clear: 203.0.113.0/24, 198.51.100.0/25
bits set: Invalid prefix 198.51.100.1/25" ] || { echo "changed" >&2; exit 1; }
