#!/usr/bin/env bash
# pymnl 0.6 (PyPI): an attribute of one octet is written as one of four, and the package's own get_u8() refuses what new_u8() made.
#
# Guess: the length of a netlink attribute is that of its header and value, and the padding to four octets behind it is not counted (linux/netlink.h,
#   the drawing above struct nlattr: nla_len ends with the payload): 5 for an octet, 9 for "eth0" with its end. What is written is read as it was.
# Seen: the length is that of the padded whole, 8 and 12. Read again, the octet is four octets long and get_u8() raises "The attribute is not an 8-bit
#   value"; the name has three more zeros, of which get_str_stripped() takes off one. Families of the kernel that
#   check lengths strictly refuse such attributes. Attributes of 32 and 64 bits need no padding and are right; the reader is right too, as for messages of the kernel.
# Source: pymnl/attributes.py, Attr.get_binary (pack(header_format, len(self), ...)).
# Output seen: "u8: length 8, TypeError", "string: length 12, b'eth0\x00\x00\x00'", "u32: length 8, 7"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pymnl==0.6 || exit 2
cat >run.py <<'PY'
import struct
from pymnl.attributes import Attr, AttrParser

def show(name, attribute, getter):
    raw = attribute.get_binary()
    [read] = AttrParser().parse_string(raw)
    try:
        value = getattr(read, getter)()
    except TypeError as error:
        value = type(error).__name__
    print(f"{name}: length {struct.unpack('=H', raw[:2])[0]}, {value}")

show("u8", Attr.new_u8(1, 7), "get_u8")
show("string", Attr.new_strz(3, b"eth0"), "get_str_stripped")
show("u32", Attr.new_u32(4, 7), "get_u32")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "u8: length 8, TypeError
string: length 12, b'eth0\\x00\\x00\\x00'
u32: length 8, 7" ] || { echo "changed" >&2; exit 1; }
