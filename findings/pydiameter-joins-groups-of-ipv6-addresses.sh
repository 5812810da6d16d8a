#!/usr/bin/env bash
# pyDiameter 0.18.7.15 (PyPI): an IPv6 address in its usual, short form becomes another address, or an AssertionError.
#
# Guess: address_to_bytes(("ipv6", "fd00::1:2")) is the Address of RFC 6733 §4.3.1: 0002 and the sixteen bytes fd00 .. 0001 0002. What
#   bytes_to_address writes it reads again.
# Seen: the colons are taken out and the digits on either side of "::" joined, whatever number of them a group has: "1:2" is the byte 12, so that
#   fd00::1:2 is sent as fd00::12, and 2001:db8:0:12::5 as 2001:db80:1200::5. Where the digits are odd in number, as in 2001:db8::1, it is
#   an AssertionError; eight groups without leading zeros give a Host-IP-Address of 12 bytes. Its own compressed
#   form, which has "0:", is not read again. The example has four digits in each group, and so is right.
# Source: pyDiameter/pyDiaAVPTools.py, __ipv6_to_bytes.
# Output seen: "fd00::1:2 -> fd00::12", "2001:db8::1 -> AssertionError", "2001:db8:85a3:0:0:8a2e:370:7334 -> 12 bytes", ..
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v pyDiameter==0.18.7.15 >/dev/null 2>&1 || exit 2
cat >run.py <<'PY'
import ipaddress

from pyDiameter.pyDiaAVPTools import address_to_bytes, bytes_to_address


def sent(text):
    try:
        body = address_to_bytes(("ipv6", text))[2:]
    except AssertionError as error:
        return type(error).__name__
    return ipaddress.ip_address(body) if len(body) == 16 else f"{len(body)} bytes"


for text in ("fe80::1", "fd00::1:2", "2001:db8:0:12::5", "2001:db8::1", "2001:db8:85a3:0:0:8a2e:370:7334"):
    print(f"{text} -> {sent(text)}")
written = bytes_to_address(bytes((0, 2)) + ipaddress.ip_address("fd00::a:0:0:1").packed, 1)[1]
print(f"its own {written} -> {sent(written)}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "fe80::1 -> fe80::1
fd00::1:2 -> fd00::12
2001:db8:0:12::5 -> 2001:db80:1200::5
2001:db8::1 -> AssertionError
2001:db8:85a3:0:0:8a2e:370:7334 -> 12 bytes
its own fd00::a:0:0:0001 -> AssertionError" ] || { echo "changed" >&2; exit 1; }
