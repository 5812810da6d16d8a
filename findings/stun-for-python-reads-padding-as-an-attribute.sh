#!/usr/bin/env bash
# stun 1.1.0 (PyPI): all attributes behind one whose length is no multiple of four are lost, and one that nobody sent takes their place.
#
# Guess: a value is followed by up to three octets of padding, which the length does not count (RFC 5389 §15); the response in RFC 5769 §2.2, whose
#   SOFTWARE has 11 octets, is read as four attributes.
# Seen: the next attribute begins one octet too early: 20, the padding, and 00 become type 0x2000 with the rest of the message as its value, and the address is not
#   found, so that the client has no answer although it came. Servers with a name of 4, 8 or 12 letters are read well. The
#   writer has the other half: it counts the padding in the length of SOFTWARE, which the RFC says is the length before it.
# Source: stun/tlv/parser.py, Parser.parse_entry and parse_entries; stun/protocol/values.py, SoftwareValue.new.
# Output seen: "SOFTWARE 11, 0x2000 8192", "written: 12 for a name of 11"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v stun==1.1.0 udp==2.3.3 startrek==2.3.3 smallib==1.2.0 || exit 2
cat >run.py <<'PY'
from stun.protocol import Attribute, AttributeType, Package, SoftwareValue

message = bytes.fromhex("0101003c2112a442b7e7a701bc34d686fa87dfae" "8022000b7465737420766563746f7220" "002000080001a147e112a643"
                        "000800142b91f599fd9e90c38c7489f92af9ba53f06be7d7" "80280004c07d4c96")
attributes = Attribute.parse_attributes(data=Package.parse(data=message).body)
print(", ".join(f"{attribute.tag.name.replace('Attribute-0x+', '0x')} {attribute.length.value}" for attribute in attributes))
written = Attribute.new(tag=AttributeType.SOFTWARE, value=SoftwareValue.new("test vector"))
print(f"written: {written.length.value} for a name of {len('test vector')}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "SOFTWARE 11, 0x2000 8192
written: 12 for a name of 11" ] || { echo "changed" >&2; exit 1; }
