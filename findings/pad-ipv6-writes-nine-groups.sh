#!/usr/bin/env bash
# pad-ipv6 1.0.2 (npm): an address of IPv6 in which "::" stands for one group at its end is padded to nine groups.
#
# Guess: 2001:db8:0:0:1:1:1:: becomes 2001:0db8:0000:0000:0001:0001:0001:0000, eight groups of four digits: "::" stands for one or more groups of
#   zeros (RFC 4291 §2.2), and 2001:db8::1:1:1:1:1, one group in the middle, is padded right. Padding is meant to make addresses comparable.
# Seen: nine groups, 44 characters. Such an address has eight colons, one more than the program reckons with: the empty part before or behind "::"
#   counts as one group, and the one between its colons as another. Where "::" stands for more groups, at an end as well, the number is right.
#   An address that ends in one of IPv4, ::ffff:192.0.2.1, is refused with "Invalid array length".
# Source: index.js, padIPv6: Array((7 - countColons(ip)) + 1).
# Output seen: "2001:db8::1:1:1:1:1 8 groups", "2001:db8:0:0:1:1:1:: 9 groups", "::2:3:4:5:6:7:8 9 groups", "::ffff:192.0.2.1 RangeError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund pad-ipv6@1.0.2 >/dev/null || exit 2
cat >run.js <<'JS'
const pad = require("pad-ipv6");
for (const address of ["2001:db8::1:1:1:1:1", "2001:db8:0:0:1:1:1::", "::2:3:4:5:6:7:8", "::ffff:192.0.2.1"]) {
  try {
    console.log(`${address} ${pad(address).split(":").length} groups`);
  } catch (error) {
    console.log(address, error.name);
  }
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "2001:db8::1:1:1:1:1 8 groups
2001:db8:0:0:1:1:1:: 9 groups
::2:3:4:5:6:7:8 9 groups
::ffff:192.0.2.1 RangeError" ] || { echo "changed" >&2; exit 1; }
