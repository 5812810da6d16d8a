#!/usr/bin/env bash
# subnet-cidr-calculator 1.0.12 (npm): 10.0.0.0/16 is the range 10.0.0.0 to 10.0.0.0, and a subnet within it does not overlap it.
#
# Guess: 10.0.0.0 to 10.0.255.255 (RFC 4632 §3.1): the package "takes a Subnet CIDR network address and returns information (all hosts, start address,
#   end address)", and its own example has a network of 16 bits.
# Seen: the last octet of the prefix is counted up, and the octets behind it are filled with 255 only if the prefix ends within the third. A /16,
#   the largest that the package takes, ends where it begins. So 10.0.32.0/19 does not overlap 10.0.0.0/16, and the next valid network may be one that is
#   taken. From /17 to /28 all is right.
# Source: lib/SubnetCIDRAdviser.js, getIpRangeForSubnet (position_ == 2), and isSubnetOverlap, which uses it.
# Output seen: "10.0.0.0/16: 10.0.0.0 to 10.0.0.0", "172.16.0.0/16: 172.16.0.0 to 172.16.0.0", "10.0.0.0/17: 10.0.0.0 to 10.0.127.255", "10.0.32.0/20: 10.0.32.0 to 10.0.47.255", "192.0.2.64/28: 192.0.2.64 to 192.0.2.79", "10.0.32.0/19 in 10.0.0.0/16: false, in 10.0.0.0/17: 10.0.0.0/17"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts subnet-cidr-calculator@1.0.12 >/dev/null || exit 2
cat >run.cjs <<'JS'
const advice = require("subnet-cidr-calculator");
for (const network of ["10.0.0.0/16", "172.16.0.0/16", "10.0.0.0/17", "10.0.32.0/20", "192.0.2.64/28"]) {
  const { start, end } = advice.getIpRangeForSubnet(network);
  console.log(`${network}: ${start} to ${end}`);
}
console.log(`10.0.32.0/19 in 10.0.0.0/16: ${advice.isSubnetOverlap(["10.0.0.0/16"], "10.0.32.0/19")}, in 10.0.0.0/17: ${advice.isSubnetOverlap(["10.0.0.0/17"], "10.0.32.0/19")}`);
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "10.0.0.0/16: 10.0.0.0 to 10.0.0.0
172.16.0.0/16: 172.16.0.0 to 172.16.0.0
10.0.0.0/17: 10.0.0.0 to 10.0.127.255
10.0.32.0/20: 10.0.32.0 to 10.0.47.255
192.0.2.64/28: 192.0.2.64 to 192.0.2.79
10.0.32.0/19 in 10.0.0.0/16: false, in 10.0.0.0/17: 10.0.0.0/17" ] || { echo "changed" >&2; exit 1; }
