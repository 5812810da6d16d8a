#!/usr/bin/env bash
# dhcplib 0.1.1 (PyPI): whoever looks at the relay's option 82 takes two octets away from it, and the answer goes out without them.
#
# Guess: get_option(82, convert=True) gives the sub-options and changes nothing: a server echoes the whole option in its replies (RFC
#   3046, §2.2), and reads it to know the port that asks.
# Seen: the decoder pops the code and the length of the first sub-option off the very list that the packet keeps, and works on a copy
#   from then on. What is left is written: the circuit "ab" becomes the code 97 and the length 98 of a sub-option that ends nowhere.
#   A relay drops such an answer, or sends it out of the wrong port. Asked without convert, nothing is lost.
# Source: dhcplib/rfc.py, rfc3046_decode (s.pop(0)); dhcplib/packet.py, get_option, which hands out self._options[82] itself.
# Output seen: "first look: {1: 'ab', 2: 'cd'}", "written: 5206616202026364", "second look: {97: '\x02\x02cd'}"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v dhcplib==0.1.1 || exit 2
cat >run.py <<'PY'
from dhcplib.packet import DHCPPacket

header = bytearray(240)
header[:3] = 1, 1, 6
header[236:] = bytes.fromhex("63825363")
option = bytes([82, 8, 1, 2]) + b"ab" + bytes([2, 2]) + b"cd"
packet = DHCPPacket(data=bytes(header) + bytes([53, 1, 1]) + option + b"\xff")
print("sent:", option.hex())
for look in "first", "second":
    found = packet.get_option(82, convert=True)
    print(f"{look} look:", {code: bytes(value).decode() for code, value in found.items()})
    if look == "first":
        written = packet.encode_packet()
        at = written.index(82, 240)
        print("written:", written[at:at + 2 + written[at + 1]].hex())
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "sent: 52080102616202026364
first look: {1: 'ab', 2: 'cd'}
written: 5206616202026364
second look: {97: '\\x02\\x02cd'}" ] || { echo "changed" >&2; exit 1; }
