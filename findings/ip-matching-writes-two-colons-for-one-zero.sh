#!/usr/bin/env bash
# ip-matching 2.1.2 (npm): one group of zero is shortened to "::".
#
# Guess: shortenIPv6 gives the recommended form, in which "::" stands for two groups or more (RFC 5952 §4.2.2), so that texts can be compared.
# Seen: 2001:db8:0:1:1:1:1:1, the example of that section, becomes 2001:db8::1:1:1:1:1, which inet_ntop and most others never write. Two zeros are
#   right.
# Source: lib/ip.js, shortenIPv6 (if (score[best])).
# Output seen: "2001:db8:0:1:1:1:1:1: 2001:db8::1:1:1:1:1", "2001:db8:0:0:1:1:1:1: 2001:db8::1:1:1:1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts ip-matching@2.1.2 >/dev/null || exit 2
cat >run.js <<'JS'
const { getIP } = require("ip-matching");
for (const address of ["2001:db8:0:1:1:1:1:1", "2001:db8:0:0:1:1:1:1"]) console.log(`${address}: ${getIP(address).toString()}`);
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "2001:db8:0:1:1:1:1:1: 2001:db8::1:1:1:1:1
2001:db8:0:0:1:1:1:1: 2001:db8::1:1:1:1" ] || { echo "changed" >&2; exit 1; }
