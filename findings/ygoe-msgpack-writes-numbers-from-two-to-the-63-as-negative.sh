#!/usr/bin/env bash
# @ygoe/msgpack 1.0.3 (npm): 2^63 is written as -2^63, and 1e20 as 2^64 - 1.
#
# Guess: a whole number from 2^63 on is a uint64 (cf), and one that fits in no integer a floating-point number (cb), which 1e20 is in JavaScript anyway
#   (MessagePack specification, "int format family").
# Seen: the branch for uint64 writes the octet d3, int64: every reader, its own too, has a negative number. Above 2^64 the largest uint64 is written, a
#   number that nobody gave. Below 2^63 all is right.
# Source: msgpack.js, appendNumber (0xd3 in the branch uint64; "above uint64").
# Output seen: "4611686018427388000: d34000000000000000, read 4611686018427388000", "9223372036854776000: d38000000000000000, read -9223372036854776000", "100000000000000000000: cfffffffffffffffff, read 18446744073709552000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts @ygoe/msgpack@1.0.3 >/dev/null || exit 2
cat >run.js <<'JS'
const { deserialize, serialize } = require("@ygoe/msgpack");
for (const number of [2 ** 62, 2 ** 63, 1e20]) {
    const octets = serialize(number);
    console.log(`${number}: ${Buffer.from(octets).toString("hex")}, read ${deserialize(octets)}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "4611686018427388000: d34000000000000000, read 4611686018427388000
9223372036854776000: d38000000000000000, read -9223372036854776000
100000000000000000000: cfffffffffffffffff, read 18446744073709552000" ] || { echo "changed" >&2; exit 1; }
