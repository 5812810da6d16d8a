#!/usr/bin/env bash
# ipfunctions 0.1.0 (npm): the range of 192.0.2.77/29 runs from "-64.-256.-254.-184" to 192.0.2.84.
#
# Guess: 192.0.2.72 to 192.0.2.79: cidrToRange gives the "lowest IP and highest IP" of the network in which the address lies (RFC 4632 §3.1), as the
#   example of the README has an address with bits behind its prefix, 127.0.0.1/16.
# Seen: the lowest is masked with signed numbers, and each network from 128.0.0.0 up begins at negative octets. The highest is counted from the address
#   itself instead of the lowest, so that ranges of addresses within a network end too late: 10.1.2.3/16 ends at 10.2.2.2.
# Source: lib/cidr.js, cidrToRange: longStart & (-1 << …) without >>> 0; longStart + 2 ** … - 1.
# Output seen: "10.0.0.0/8: 10.0.0.0 to 10.255.255.255", "10.1.2.3/16: 10.1.0.0 to 10.2.2.2", "127.0.0.1/16: 127.0.0.0 to 127.1.0.0", "192.0.2.72/29: -64.-256.-254.-184 to 192.0.2.79", "192.0.2.77/29: -64.-256.-254.-184 to 192.0.2.84", "203.0.113.5/32: 203.0.113.5 to 203.0.113.5"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts ipfunctions@0.1.0 >/dev/null || exit 2
cat >run.cjs <<'JS'
const { cidrToRange } = require("ipfunctions");
for (const network of ["10.0.0.0/8", "10.1.2.3/16", "127.0.0.1/16", "192.0.2.72/29", "192.0.2.77/29", "203.0.113.5/32"]) console.log(`${network}: ${cidrToRange(network).join(" to ")}`);
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "10.0.0.0/8: 10.0.0.0 to 10.255.255.255
10.1.2.3/16: 10.1.0.0 to 10.2.2.2
127.0.0.1/16: 127.0.0.0 to 127.1.0.0
192.0.2.72/29: -64.-256.-254.-184 to 192.0.2.79
192.0.2.77/29: -64.-256.-254.-184 to 192.0.2.84
203.0.113.5/32: 203.0.113.5 to 203.0.113.5" ] || { echo "changed" >&2; exit 1; }
