#!/usr/bin/env bash
# libbgp 0.2.0 (PyPI): a default route is sent with an octet too many, which is read as a second one, and withdrawals beside announcements are dropped.
#
# Guess: a prefix has as many octets as its length needs, 0.0.0.0/0 none (RFC 4271 §4.3); an UPDATE may withdraw and announce routes at once (§4.3), and the package's dictionary
#   has a list of each.
# Seen: 0.0.0.0/0 is 00 00, and its own unpack says two default routes; with path identifiers (RFC 7911) the octet moves what follows. If "withdraw" and "nlri" are given, the length
#   of the withdrawn routes is 0: the old route stays at the neighbour. Each list by itself, and prefixes from /1 on, are right.
# Source: libbgp/bgp/update/__init__.py, pack_nlri (masklen <= 8: one octet) and pack (the first branch writes struct.pack('!H', 0)).
# Output seen: "0.0.0.0/0: 0000", "sent and read: ['0.0.0.0/0', '0.0.0.0/0']", "withdrawn beside an announcement: []"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v libbgp==0.2.0 || exit 2
cat >run.py <<'PY'
from libbgp.bgp.update import Update


def read(**lists):
    octets = Update.pack({"attr": {1: 0, 2: [], 3: "192.0.2.1"}, **lists}, {}).hex_value
    return Update.unpack(octets, len(octets), {}).value


print(f"0.0.0.0/0: {Update.pack_nlri(['0.0.0.0/0']).hex()}")
print(f"sent and read: {read(nlri=['0.0.0.0/0'])['nlri']}")
print(f"withdrawn beside an announcement: {read(nlri=['198.51.100.0/24'], withdraw=['203.0.113.0/24'])['withdraw']}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "0.0.0.0/0: 0000
sent and read: ['0.0.0.0/0', '0.0.0.0/0']
withdrawn beside an announcement: []" ] || { echo "changed" >&2; exit 1; }
