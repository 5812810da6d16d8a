#!/usr/bin/env bash
# node-cidr 1.0.0 (npm): the common block of 192.0.2.255 and 192.0.3.0 is 192.0.2.254/31, and that of 2.0.0.1 and 10.0.0.1 is 10.0.0.1/32.
#
# Guess: the common block is the smallest one that has all the addresses: 192.0.2.0/23 and 0.0.0.0/4.
# Seen: the size of the block is that of the distance, moved down to a multiple of its size; if the last address then lies just behind its end, it is
#   taken as inside, and if it lies farther, one bit more is taken for enough. The numbers are sorted as texts, so that 33554433 comes behind 167772161.
#   A rule made from the block is not for all of them.
# Source: dist/index.js, intCommonCidr (sort() without a comparison; > baseIp + exp; mask--).
# Output seen: "192.0.2.1, 192.0.2.2: 192.0.2.0/31, has true, false", "192.0.2.255, 192.0.3.0: 192.0.2.254/31, has true, false", "192.0.2.127, 192.0.2.128: 192.0.2.126/31, has true, false", "2.0.0.1, 10.0.0.1: 10.0.0.1/32, has false, true"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts node-cidr@1.0.0 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { ip, cidr } = require("node-cidr");

for (const addresses of [["192.0.2.1", "192.0.2.2"], ["192.0.2.255", "192.0.3.0"], ["192.0.2.127", "192.0.2.128"], ["2.0.0.1", "10.0.0.1"]]) {
  const block = ip.commonCidr([...addresses]);
  console.log(`${addresses.join(", ")}: ${block}, has ${addresses.map((address) => cidr.includes(block, address)).join(", ")}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "192.0.2.1, 192.0.2.2: 192.0.2.0/31, has true, false
192.0.2.255, 192.0.3.0: 192.0.2.254/31, has true, false
192.0.2.127, 192.0.2.128: 192.0.2.126/31, has true, false
2.0.0.1, 10.0.0.1: 10.0.0.1/32, has false, true" ] || { echo "changed" >&2; exit 1; }
