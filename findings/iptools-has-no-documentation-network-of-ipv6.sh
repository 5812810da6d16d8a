#!/usr/bin/env bash
# iptools 0.7.0 (PyPI): the constant for the network of documentation is 2001::db8::/32, which its own functions refuse.
#
# Guess: the constants of the module are networks to build ranges from, and this one is that of RFC 3849, as the comment above it says: 2001:db8::/32.
# Seen: a second :: has got into it, so that the constant is no network: a list of ranges that are not to appear on the wire, built from all
#   constants, is a TypeError. The other constants of both families are right.
# Source: iptools/ipv6.py, DOCUMENTATION_NETWORK.
# Output seen: "iptools.ipv4: 20 constants, refused: none", "iptools.ipv6: 18 constants, refused: DOCUMENTATION_NETWORK 2001::db8::/32"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v iptools==0.7.0 || exit 2
cat >run.py <<'PY'
import iptools
from iptools import ipv4, ipv6

def usable(text):
    try:
        iptools.IpRange(text)
        return True
    except TypeError:
        return False

for module in (ipv4, ipv6):
    constants = {name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, str)}
    refused = [f"{name} {value}" for name, value in sorted(constants.items()) if not usable(value)]
    print(f"{module.__name__}: {len(constants)} constants, refused: {', '.join(refused) or 'none'}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "iptools.ipv4: 20 constants, refused: none
iptools.ipv6: 18 constants, refused: DOCUMENTATION_NETWORK 2001::db8::/32" ] || { echo "changed" >&2; exit 1; }
