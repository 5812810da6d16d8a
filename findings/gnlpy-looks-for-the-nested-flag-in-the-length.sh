#!/usr/bin/env bash
# gnlpy 0.1.2 (PyPI): an attribute that the kernel marks as nested is a KeyError, since the mark is taken out of the length and not out of the type.
#
# Guess: the two high bits of an attribute's type are flags (linux/netlink.h: NLA_F_NESTED, NLA_F_NET_BYTEORDER, NLA_TYPE_MASK), and the types of
#   create_attr_list_type() know how to unpack what is nested in them, with the flag or without: newer families set it, older do not.
# Seen: the 15 low bits of the length are kept, in which nothing but the length ever was, and the type is looked up with the flag: 32770 in place of 2. The
#   whole message is lost by that. A comment beside the writer tells how the flag did not work there, in the length as well. Families that set
#   no flag, as IPVS and taskstats, for which the package was made, are read.
# Source: gnlpy/netlink.py, AttrListType.unpack (alen & 0x7fff; key_to_packer[k]).
# Output seen: "plain: Outer(name='a', inner=Inner(port=5000))", "nested: KeyError 32770"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v gnlpy==0.1.2 six==1.17.0 || exit 2
cat >run.py <<'PY'
import struct
from gnlpy import netlink

Inner = netlink.create_attr_list_type("Inner", ("PORT", netlink.U16Type))
Outer = netlink.create_attr_list_type("Outer", ("NAME", netlink.NulStringType), ("INNER", Inner))

def attribute(kind, value):
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)

for name, flag in (("plain", 0), ("nested", 1 << 15)):
    try:
        print(f"{name}: {Outer.unpack(attribute(1, b'a' + bytes(1)) + attribute(2 | flag, attribute(1, struct.pack('=H', 5000))))}")
    except KeyError as error:
        print(f"{name}: KeyError {error}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "plain: Outer(name='a', inner=Inner(port=5000))
nested: KeyError 32770" ] || { echo "changed" >&2; exit 1; }
