#!/usr/bin/env bash
# cidr-block 2.3.0 (npm): of a link of two addresses the first that is usable is behind the last, and hosts of 192.0.2.77/24 end in the next network.
#
# Guess: of 192.0.2.0/31 both addresses are usable (RFC 3021); of 192.0.2.77/24, an address with its prefix, from which network() makes 192.0.2.0, the
#   usable ones are .1 to .254.
# Seen: network and broadcast address are taken off at both ends: .1 is the first and .0 the last of a /31. All but network() count from the address as
#   written: of .77/24 the hosts are 192.0.2.78 to 192.0.3.75, and the next block begins at 192.0.3.77.
# Source: dist, Ipv4Cidr: getFirstUsableAddress, getLastUsableAddress, nextCIDR (baseAddress in place of network).
# Output seen: "192.0.2.0/30: network 192.0.2.0, usable 192.0.2.1 to 192.0.2.2, next 192.0.2.4/30", "192.0.2.0/31: network 192.0.2.0, usable 192.0.2.1 to 192.0.2.0, next 192.0.2.2/31", "192.0.2.77/24: network 192.0.2.0, usable 192.0.2.78 to 192.0.3.75, next 192.0.3.77/24"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts cidr-block@2.3.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { ipv4 } = require("cidr-block");
for (const text of ["192.0.2.0/30", "192.0.2.0/31", "192.0.2.77/24"]) {
    const block = ipv4.cidr(text);
    console.log(`${text}: network ${block.network()}, usable ${block.getFirstUsableAddress()} to ${block.getLastUsableAddress()}, next ${block.nextCIDR()}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "192.0.2.0/30: network 192.0.2.0, usable 192.0.2.1 to 192.0.2.2, next 192.0.2.4/30
192.0.2.0/31: network 192.0.2.0, usable 192.0.2.1 to 192.0.2.0, next 192.0.2.2/31
192.0.2.77/24: network 192.0.2.0, usable 192.0.2.78 to 192.0.3.75, next 192.0.3.77/24" ] || { echo "changed" >&2; exit 1; }
