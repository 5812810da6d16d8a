#!/usr/bin/env bash
# diameter-codec 1.0.3 (PyPI): an OctetString of 4 or 16 bytes is shown as an IP address, and one that reads so is packed.
#
# Guess: an OctetString is bytes (RFC 6733 §4.2); addresses have a type of their own, Address, with a family in front. What
#   the dictionary calls an OctetString is shown as text, or as hexadecimal digits.
# Seen: the Class "gold" becomes 103.111.108.100, and one of 16 letters an IPv6 address, among others of other lengths that
#   stay text: a session is looked up by a name that the server never gave. The other way, a server that hands out the
#   text "192.0.2.1" as Class sends four bytes. Only `contenttype="binary"` in the dictionary, which the README does not
#   mention, keeps to bytes.
# Source: codec/diameter/_avp_decoder.py and _avp_encoder.py, the methods for OctetString; both ask whether the bytes could
#   be an address before anything else.
# Output seen: "gold -> 103.111.108.100", "silver -> silver", "0123456789abcdef -> 3031:3233:3435:3637:3839:6162:6364:6566",
#   "192.0.2.1 is sent as c0000201"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install diameter-codec==1.0.3 || exit 2
cat >dictionary.xml <<'XML'
<dictionary xmlns="urn:example">
  <vendors><vendor id="0" name="None"/></vendors>
  <application id="0" name="Base">
    <avps><avp code="25" name="Class" type="OctetString" vendor="None" mandatory-flag="must"/></avps>
  </application>
</dictionary>
XML
cat >run.py <<'PY'
import struct
from codec.diameter.diameter import Avp, Diameter, DiameterHeader
from codec.diameter.dictionary import DefaultDictionaryLayout

diameter = Diameter(DefaultDictionaryLayout("dictionary.xml"))
for value in (b"gold", b"silver", b"0123456789abcdef"):
    avp = struct.pack("!II", 25, 0x40 << 24 | 8 + len(value)) + value + bytes(-len(value) % 4)
    message = struct.pack("!IIIII", 1 << 24 | 20 + len(avp), 0x80 << 24 | 280, 0, 1, 2) + avp
    print(value.decode(), "->", diameter.decode(message).avp_set[0].data)
sent = diameter.encode(DiameterHeader(application_id=0, command_code=280, avp_set=(Avp("Class", "192.0.2.1"),)))
print("192.0.2.1 is sent as", sent[28:].hex())
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "gold -> 103.111.108.100
silver -> silver
0123456789abcdef -> 3031:3233:3435:3637:3839:6162:6364:6566
192.0.2.1 is sent as c0000201" ] || { echo "changed" >&2; exit 1; }
