#!/usr/bin/env bash
# ftlbgp 1.0.5 (PyPI): an UPDATE for 0.0.0.0/0, 198.51.0.0/16 and 203.0.0.0/16 is one route to 203.0.0.0/16 with the path identifier 1099315.
#
# Guess: the octets 00 are the default route (RFC 4271 §4.3: length 0 and no octet of the prefix); path identifiers stand only in records whose
#   subtype says ADD-PATH (RFC 8050 §3), which this one does not. The list is three routes, or two and an error if default routes are unwanted.
# Seen: a default route is an error that has the list read again with path identifiers, since some writers forget the subtype. 00 and the next prefix
#   of 16 bits are four octets, and the rest fits too. Two of three routes are gone; the statistics have a "fix" for it. Without the default route the
#   same list is right.
# Source: ftlbgp/data/mrt/bgp/nlri.py, unpack_mrt_bgp_nlri ("default route", the retry with addpath=True).
# Output seen: "two: 198.51.0.0/16, path None", "two: 203.0.0.0/16, path None", "default and two: 203.0.0.0/16, path 1099315"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v ftlbgp==1.0.5 || exit 2
cat >run.py <<'PY'
import ipaddress, struct
from ftlbgp import MrtParser

def read(name, prefixes):
    attributes = bytes.fromhex("40010100" "40020602010000fbf4" "400304c0000201")
    update = struct.pack(">HH", 0, len(attributes)) + attributes + bytes.fromhex(prefixes)
    message = b"\xff" * 16 + struct.pack(">HB", 19 + len(update), 2) + update
    peers = struct.pack(">IIHH4s4s", 64500, 64501, 0, 1, bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2]))
    with open("x.mrt", "wb") as file:  # one record BGP4MP_MESSAGE_AS4
        file.write(struct.pack(">IHHI", 0, 16, 4, len(peers + message)) + peers + message)
    with MrtParser() as parse:
        for record in parse("x.mrt"):
            if hasattr(record, "prefix"):
                print(f"{name}: {ipaddress.ip_address(record.prefix[0])}/{record.prefix[1]}, path {record.path_id}")

read("two", "10c633" "10cb00")
read("default and two", "00" "10c633" "10cb00")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "two: 198.51.0.0/16, path None
two: 203.0.0.0/16, path None
default and two: 203.0.0.0/16, path 1099315" ] || { echo "changed" >&2; exit 1; }
