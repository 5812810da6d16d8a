#!/usr/bin/env bash
# snmpwalk-parser 1.0.1 (PyPI): lines with Hex-STRING are missing from the result, and of an address in an index the last octet alone is the index.
#
# Guess: each line of a walk is an entry; octets that are no text are printed as "Hex-STRING: 02 00 ..." (snmpcmd's manual). ipAdEntIfIndex.192.0.2.1 is column ipAdEntIfIndex and
#   index 192.0.2.1 (RFC 4293), and ipv4."192.0.2.1" is an index, too.
# Seen: a type with a hyphen fits none of the patterns, and an index in quotes neither: both lines are left out without a word, among them the addresses of most bridges. The two
#   rows of the address table are two columns, ipAdEntIfIndex.192.0.2 and ipAdEntIfIndex.198.51.100, each with one row, so that grouping by table tears it apart.
# Source: snmpwalk_parser/core.py, patterns ("\w+:") and _extract_key_index (rsplit('.', 1)).
# Output seen: "ipAdEntIfIndex.192.0.2 [1]: 2", "ipAdEntIfIndex.198.51.100 [7]: 3", "2 of 4 lines"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v snmpwalk-parser==1.0.1 || exit 2
cat >run.py <<'PY'
from snmpwalk_parser.core import SNMPParser

WALK = """BRIDGE-MIB::dot1dBaseBridgeAddress.0 = Hex-STRING: 02 00 00 00 00 01
IP-MIB::ipAdEntIfIndex.192.0.2.1 = INTEGER: 2
IP-MIB::ipAdEntIfIndex.198.51.100.7 = INTEGER: 3
IP-MIB::ipAddressIfIndex.ipv4."192.0.2.1" = INTEGER: 2"""
entries = SNMPParser().parse_snmpwalk_output(WALK)
for entry in entries:
    print(f"{entry.key} [{entry.index}]: {entry.value}")
print(f"{len(entries)} of {len(WALK.splitlines())} lines")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "ipAdEntIfIndex.192.0.2 [1]: 2
ipAdEntIfIndex.198.51.100 [7]: 3
2 of 4 lines" ] || { echo "changed" >&2; exit 1; }
