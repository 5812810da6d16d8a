#!/usr/bin/env bash
# cbor-redux 1.0.0 (npm): 18446744073709551616n is written as 0, a Date as an empty map, and 1.5 in nine octets under the name of preferred serialization.
#
# Guess: "Values of bigint will be encoded when provided": from 2^64 on they are bignums with tag 2, c2 49 01... (RFC 8949 §3.4.3, Appendix A), or an error. Preferred serialization, which
#   the README lists, has the shortest floating-point form: 1.5 is f9 3e00 (§4.1, §4.2.1). A Date is a time, or an error.
# Seen: the bound is one too high: 2^64 passes it, and its lowest 64 bits, eight zeros, are written; from 2^64 + 1 on there is an error. Each number with a fraction has
#   eight octets, Infinity, too. A Date has no enumerable keys and becomes a0.
# Source: script/src/encode.js, writeBigInteger (val <= MAX_SAFE_INTEGER, which constants.js has as 2^64), writeFloat64, and the branch of objects.
# Output seen: "2^64 - 1: 1bffffffffffffffff", "2^64: 1b0000000000000000", "2^64 + 1: Error", "1.5: fb3ff8000000000000", "Date: a0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts cbor-redux@1.0.0 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { CBOR } = require("cbor-redux");
const values = { "2^64 - 1": 2n ** 64n - 1n, "2^64": 2n ** 64n, "2^64 + 1": 2n ** 64n + 1n, 1.5: 1.5, Date: new Date(0) };
for (const [name, value] of Object.entries(values)) {
  let result;
  try {
    result = Buffer.from(CBOR.encode(value)).toString("hex");
  } catch (error) {
    result = error.name;
  }
  console.log(`${name}: ${result}`);
}
JS
seen=$(node run.js 2>/dev/null)
echo "$seen"
[ "$seen" = "2^64 - 1: 1bffffffffffffffff
2^64: 1b0000000000000000
2^64 + 1: Error
1.5: fb3ff8000000000000
Date: a0" ] || { echo "changed" >&2; exit 1; }
