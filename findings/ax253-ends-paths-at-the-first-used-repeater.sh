#!/usr/bin/env bash
# ax253 0.1.5.post1 (PyPI): a frame whose first repeater has sent it on and whose second has not ends its addresses behind the first.
#
# Guess: N0CALL>APRS,RELAY*,WIDE2-1 has four addresses; the last one has the extension bit set, and the H bit of RELAY says that it is done (AX.25 2.2
#   §3.12). Bytes, text and bytes again are the same.
# Seen: an asterisk sets the extension bit too, as the H bit is written only together with it. The frame ends its addresses at RELAY, and the W of
#   WIDE2 is the control field, so that the package itself reads the text behind it from there. From true bytes the asterisk of RELAY is in turn lost, and
#   the frame is written as one that nobody has repeated. With one repeater all is right.
# Source: ax253/address.py, Address.from_str (digi or a7_hldc), from_bytes and __bytes__ (digi and a7_hldc).
# Output seen: "from text:", "  N0CALL>APRS,RELAY*,WIDE2-1:hi", "  N0CALL>APRS,RELAY*:??d@c?hi", "from bytes:", "  N0CALL>APRS,RELAY,WIDE2-1:hi", "  RELAY is written with 0x60"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v ax253==0.1.5.post1 attrs==24.2.0 bitarray==3.0.0 importlib-metadata==8.5.0 zipp==3.21.0 || exit 2
cat >run.py <<'PY'
from ax253 import Frame

def show(frame):
    print(f"  {frame}".encode("ascii", "replace").decode())

print("from text:")
frame = Frame.from_str("N0CALL>APRS,RELAY*,WIDE2-1:hi")
show(frame)
show(Frame.from_bytes(bytes(frame)))
print("from bytes:")
def address(name, last):  # the last octet has H, two reserved bits, SSID and the extension bit
    return bytes(letter << 1 for letter in name.encode().ljust(6)) + bytes([last])

content = address("APRS", 0x60) + address("N0CALL", 0x60) + address("RELAY", 0xE0) + address("WIDE2", 0x63) + b"\x03\xf0hi"
frame = Frame.from_bytes(content)
show(frame)
print("  RELAY is written with", hex(bytes(frame)[20]))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "from text:
  N0CALL>APRS,RELAY*,WIDE2-1:hi
  N0CALL>APRS,RELAY*:??d@c?hi
from bytes:
  N0CALL>APRS,RELAY,WIDE2-1:hi
  RELAY is written with 0x60" ] || { echo "changed" >&2; exit 1; }
