#!/usr/bin/env bash
# iptools 0.7.0 (PyPI): 2001:DB8::1 is an address, but 2001:DB8::/32, ::FFFF:192.0.2.1 and 1:2:3:4:5:6:7:: are none.
#
# Guess: digits of an address are in either case (RFC 4291 §2.2), also in front of a prefix length or of a dotted quad, and :: may stand for one group
#   at the end; RFC 5952 §4 asks readers to take all forms.
# Seen: one of three patterns has A-F. A range of such a network is a TypeError about NoneType, not a word about the network; a list of networks from
#   a router or a registry that writes capitals cannot be loaded.
# Source: iptools/ipv6.py, _CIDR_RE, _DOTTED_QUAD_RE and _HEX_RE ({2,7}).
# Output seen: "2001:db8::1: True, a range", "2001:DB8::1: True, a range", "2001:db8::/32: True, a range", "2001:DB8::/32: False, TypeError", "::ffff:192.0.2.1: True, a range", "::FFFF:192.0.2.1: False, TypeError", "1:2:3:4:5:6::: True, a range", "1:2:3:4:5:6:7::: False, TypeError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v iptools==0.7.0 || exit 2
cat >run.py <<'PY'
import iptools
from iptools import ipv6

for text in ("2001:db8::1", "2001:DB8::1", "2001:db8::/32", "2001:DB8::/32", "::ffff:192.0.2.1", "::FFFF:192.0.2.1", "1:2:3:4:5:6::", "1:2:3:4:5:6:7::"):
    valid = ipv6.validate_cidr(text) if "/" in text else ipv6.validate_ip(text)
    try:
        iptools.IpRange(text)
        print(f"{text}: {valid}, a range")
    except TypeError:
        print(f"{text}: {valid}, TypeError")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "2001:db8::1: True, a range
2001:DB8::1: True, a range
2001:db8::/32: True, a range
2001:DB8::/32: False, TypeError
::ffff:192.0.2.1: True, a range
::FFFF:192.0.2.1: False, TypeError
1:2:3:4:5:6::: True, a range
1:2:3:4:5:6:7::: False, TypeError" ] || { echo "changed" >&2; exit 1; }
