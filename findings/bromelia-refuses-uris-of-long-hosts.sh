#!/usr/bin/env bash
# bromelia 0.3.1 (PyPI): a DiameterURI is refused if its host is longer than 64 characters or ends in 0 with no port behind.
#
# Guess: the type takes any host name that DNS allows, up to 255 characters (RFC 6733 §4.3.1: FQDN), since names of 3GPP are
#   long (TS 23.003 §19.4 makes them of node, interface, "epc.mnc001.mcc001.3gppnetwork.org").
# Seen: such a Redirect-Host cannot be built, and a message with one cannot be read at all: DataTypeError. Of ten equal hosts
#   mme1 to mme10 the last is refused, and taken with a port behind it.
# Source: bromelia/types.py, DiameterURIType: the pattern has the digits 1 to 9 and counts one to 62 characters.
# Output seen: "mme9 True", "mme10 False", "mme10:3868 True", "68 characters False", "message: DataTypeError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install bromelia==0.3.1 || exit 2
cat >run.py <<'PY'
import struct
from bromelia.avps import RedirectHostAVP
from bromelia.base import DiameterMessage
from bromelia.exceptions import DataTypeError

def taken(host):
    try:
        RedirectHostAVP("aaa://" + host)
        return True
    except DataTypeError:
        return False

for host in ("mme9", "mme10", "mme10:3868"):
    print(host, taken(host))
long = "topoff.vip1.s5-s8.pgw-07.west.node.epc.mnc001.mcc001.3gppnetwork.org"
print(len(long), "characters", taken(long))

def avp(code, value):
    return struct.pack("!II", code, 0x40 << 24 | 8 + len(value)) + value + bytes(-len(value) % 4)

avps = avp(264, b"a.example.com") + avp(296, b"example.com") + avp(292, b"aaa://mme10")
message = struct.pack("!IIIII", 1 << 24 | 20 + len(avps), 0x20 << 24 | 280, 0, 1, 2) + avps
try:
    DiameterMessage.load(message)
    print("message: read")
except DataTypeError as error:
    print("message:", type(error).__name__)
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "mme9 True
mme10 False
mme10:3868 True
68 characters False
message: DataTypeError" ] || { echo "changed" >&2; exit 1; }
