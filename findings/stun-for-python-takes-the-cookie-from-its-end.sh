#!/usr/bin/env bash
# stun 1.1.0 (PyPI): the address in XOR-MAPPED-ADDRESS is read with the octets of the magic cookie in turned order, and so is the port.
#
# Guess: XorMappedAddressValue.xor() undoes what RFC 5389 §15.2 has: the port with the cookie's first 16 bits, the address with the cookie, both in
#   network byte order. RFC 5769 §2.2 has a response for such tests: 192.0.2.1, port 32853.
# Seen: the octets of the cookie are taken from the end of the address on, 42 a4 12 21, and those of the port the other way round: 163.182.180.98, port
#   45926, an address that looks like one. With it a client tells its peers where nobody is. The class for the older attribute 0x8020, whose
#   number no server of RFC 5389 sends, takes them in order: with it the same value is right.
# Source: stun/protocol/values.py, XorMappedAddressValue.xor, which stun/client.py calls for the type 0x0020.
# Output seen: "0x0020: 163.182.180.98:45926", "by the class for 0x8020: 192.0.2.1:32853"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v stun==1.1.0 udp==2.3.3 startrek==2.3.3 smallib==1.2.0 || exit 2
cat >run.py <<'PY'
from stun.protocol import AttributeLength, XorMappedAddressValue, XorMappedAddressValue2
from udp.ba import Data

value = Data(buffer=bytes.fromhex("0001a147e112a643"))
cookie = Data(buffer=bytes.fromhex("2112a442" "b7e7a701bc34d686fa87dfae"))
for name, kind in (("0x0020", XorMappedAddressValue), ("by the class for 0x8020", XorMappedAddressValue2)):
    plain = kind.xor(data=value, factor=cookie)
    read = kind.parse(data=plain, length=AttributeLength.new(value=plain.size))
    print(f"{name}: {read.ip}:{read.port & 0xFFFF}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "0x0020: 163.182.180.98:45926
by the class for 0x8020: 192.0.2.1:32853" ] || { echo "changed" >&2; exit 1; }
