#!/usr/bin/env bash
# peerjs-js-binarypack 2.1.0 (npm): NaN arrives as 1.1e-308, 2^-29 as half of it, and -5000000001 as -4999999488.
#
# Guess: the format in which PeerJS sends objects over data channels has doubles (0xcb) and integers of 64 bits (0xd3), so that each number
#   of JavaScript arrives as it was, NaN for "not measured yet" among them, or is refused by the sender.
# Seen: NaN is written with an exponent of 1024 less than it has, and read as a small number that passes each check. The exponent of others comes
#   from a logarithm, which is off by one just at some powers of two: 2^-29, as fractions of NTP's second have it, is halved. Integers
#   below -2^31 are first read as 2^64 more than they are, and rounded there, to multiples of 512 and more. Infinity and 1e20 are taken
#   for integers, and raise "Invalid integer", though both are doubles; 2^63 arrives negative.
# Source: lib/binarypack.ts: pack_double (Math.log(num) / Math.LN2) and unpack_int64 (uint64 - 2 ** 64).
# Output seen: "NaN: 1.1125369292536007e-308", "1.862645149230957e-9: 9.313225746154785e-10", "-5000000001: -4999999488", "Infinity: error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts peerjs-js-binarypack@2.1.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { pack, unpack } = require("peerjs-js-binarypack");
for (const value of [0.1, 2 ** 40, NaN, 2 ** -28, 2 ** -29, -5000000001, -1764480000123, Infinity, 1e20, 2 ** 63]) {
  let read;
  try {
    read = unpack(pack(value));
  } catch {
    read = "error";
  }
  console.log(`${value}: ${read}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "0.1: 0.1
1099511627776: 1099511627776
NaN: 1.1125369292536007e-308
3.725290298461914e-9: 3.725290298461914e-9
1.862645149230957e-9: 9.313225746154785e-10
-5000000001: -4999999488
-1764480000123: -1764480000000
Infinity: error
100000000000000000000: error
9223372036854776000: -9223372036854776000" ] || { echo "changed" >&2; exit 1; }
