#!/usr/bin/env bash
# stun-protocol 0.0.8 (PyPI): the port and address of XOR-MAPPED-ADDRESS are handed over as they are on the wire, 49170 as 57600.
#
# Guess: the port of a parsed XorMappedAddressAttribute is the mapped port: the receiver takes the X-port exclusive-or the cookie (RFC 8489 §14.2), and the
#   package's own add_xor_mapped_address_attribute_v4 takes the plain port and address.
# Seen: a response that the package made for 192.0.2.1:49170 is read back as 57600 and e112a643, in the same fields in which MAPPED-ADDRESS has the plain ones.
#   The values look like a port and an address. Nothing in the package undoes the exclusive-or.
# Source: stun_protocol/attribute.py, XorMappedAddressAttribute inherits _unpack_value of MappedAddressAttributeBase unchanged.
# Output seen: "MAPPED-ADDRESS: 192.0.2.1:49170", "XOR-MAPPED-ADDRESS: 225.18.166.67:57600"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v stun-protocol==0.0.8 || exit 2
cat >run.py <<'PY'
import ipaddress

from stun_protocol.attribute import MappedAddressAttribute
from stun_protocol.message import Message, MessageClass, MessageMethod

address = ipaddress.ip_address("192.0.2.1")
message = Message(MessageClass.SUCCESS_RESPONSE, MessageMethod.BINDING, bytes(12))
message.add_attribute(MappedAddressAttribute(1, 49170, address.packed))
message.add_xor_mapped_address_attribute_v4(49170, int(address))
for name, attribute in zip(("MAPPED-ADDRESS", "XOR-MAPPED-ADDRESS"), Message.create(message.pack()).attributes):
    print(f"{name}: {ipaddress.ip_address(attribute.address)}:{attribute.port}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "MAPPED-ADDRESS: 192.0.2.1:49170
XOR-MAPPED-ADDRESS: 225.18.166.67:57600" ] || { echo "changed" >&2; exit 1; }
