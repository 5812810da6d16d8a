#!/usr/bin/env bash
# bgphoria 0.0.0 (PyPI): of the capabilities in one parameter of an OPEN only the first is read, and a number of 32 bits in front of others is an error.
#
# Guess: a Capabilities parameter has one or more capabilities (RFC 5492 §4), and many speakers put all of theirs into one; the result is the same as from
#   one parameter for each, and "asn" is the number of the system.
# Seen: behind the first capability the rest of the parameter is passed over: IPv6 and the number of 32 bits are not seen, the system is 23456, and the
#   session goes on without them. If the number is the first of several, it is a struct.error. Where it is read, "asn" is a tuple of one and not
#   a number, so that a comparison with the configured system fails. The package's own OPEN has a parameter for each.
# Source: bgphoria/messages.py, parse_open_message (no loop over param_value; peer_as = struct.unpack(...)).
# Output seen: "a parameter each: asn (65536,), ipv6 True", "one for all: asn 23456, ipv6 False", "number first: error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v bgphoria==0.0.0 || exit 2
cat >run.py <<'PY'
import struct
from bgphoria.messages import parse_open_message

ipv4, ipv6 = bytes([1, 4, 0, 1, 0, 1]), bytes([1, 4, 0, 2, 0, 1])
number = bytes([65, 4]) + struct.pack("!I", 65536)

def show(name, *parameters):
    body = b"".join(bytes([2, len(parameter)]) + parameter for parameter in parameters)
    try:
        read = parse_open_message(struct.pack("!BHH4sB", 4, 23456, 90, bytes([192, 0, 2, 1]), len(body)) + body)
        print(f"{name}: asn {read['asn']}, ipv6 {read['capabilities']['ipv6_unicast']}")
    except struct.error as error:
        print(f"{name}: {type(error).__name__}")

show("a parameter each", ipv4, ipv6, number)
show("one for all", ipv4 + ipv6 + number)
show("number first", number + ipv4 + ipv6)
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "a parameter each: asn (65536,), ipv6 True
one for all: asn 23456, ipv6 False
number first: error" ] || { echo "changed" >&2; exit 1; }
