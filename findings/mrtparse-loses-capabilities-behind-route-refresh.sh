#!/usr/bin/env bash
# mrtparse 2.2.0 (PyPI): what follows the capability Route Refresh in an OPEN is lost or turns into others; if nothing follows, the OPEN is refused.
#
# Guess: each capability is a code, a length and a value (RFC 5492 §4), and Route Refresh has length 0 (RFC 2918 §2), so that its end is the next
#   parameter, or the end of the message; the AS of four octets behind it is read.
# Seen: for a capability without a decoder of its own, and for Route Refresh, length - 2 octets are skipped behind the length: two back at length 0.
#   Route Refresh is read twice, and "253 Unknown" is made of the AS 65000 (fd e8). As the last one it leads to a read beyond the end. Nearly each
#   router sends it; an OPEN is right if it has only capabilities with a decoder of their own.
# Source: mrtparse/__init__.py, OptParams.unpack_capabilities (length - 2).
# Output seen: "without: 1 of 4, 65 of 4", "last: Insufficient buffer 0 < 1 byte", "in the middle: 1 of 4, 2 of 0, 2 of 6, 253 of 232"
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

multiprotocol, wide, refresh = bytes.fromhex("010400010001"), bytes.fromhex("41040000fde8"), bytes.fromhex("0200")
for name, capabilities in (
    ("without", [multiprotocol, wide]),
    ("last", [multiprotocol, wide, refresh]),
    ("in the middle", [multiprotocol, refresh, wide]),
):
    parameters = b"".join(bytes([2, len(capability)]) + capability for capability in capabilities)
    entry = read(1, struct.pack(">BHH4sB", 4, 64501, 180, bytes([192, 0, 2, 1]), len(parameters)) + parameters)
    if entry.err:
        print(f"{name}: {entry.err_msg}")
    else:
        found = entry.data["bgp_message"]["optional_parameters"]
        print(f"{name}: " + ", ".join(str(*parameter["type"]) + f" of {parameter['length']}" for parameter in found))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "without: 1 of 4, 65 of 4
last: Insufficient buffer 0 < 1 byte
in the middle: 1 of 4, 2 of 0, 2 of 6, 253 of 232" ] || { echo "changed" >&2; exit 1; }
