#!/usr/bin/env bash
# @oslojs/cbor 1.0.0 (npm): integers of four bytes from 2^31 on cannot be decoded, those of eight bytes can.
#
# Guess: 1a ffffffff, the largest integer with an argument of four bytes (RFC 8949 §3.1, and an example of appendix A has 1a 000f4240), is
#   4294967295: half of all TSNs, verification tags, SSRCs and addresses of IPv4 are from 2^31 on.
# Seen: a TypeError without a message; the same integer with eight bytes is decoded. The error comes from the helper for 32 bits, which
#   sums by JavaScript's "|": it gives -1, and a positive integer that is negative is refused. The negative integers
#   of four bytes (3a) break at the same place.
# Source: @oslojs/binary, dist/uint.js, uint32 of both byte orders (result |= ...; the one for 64 bits uses BigInt).
# Output seen: "1a7fffffff 2147483647", "1a80000000 TypeError", "1affffffff TypeError", "1b00000000ffffffff 4294967295", "3a80000000 TypeError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @oslojs/cbor@1.0.0 @oslojs/binary@1.0.0 >/dev/null || exit 2
cat >run.mjs <<'JS'
import { decodeCBORToNativeValueNoLeftoverBytes as decode } from "@oslojs/cbor";
for (const hex of ["1a7fffffff", "1a80000000", "1affffffff", "1b00000000ffffffff", "3a80000000"]) {
  try {
    console.log(hex, decode(new Uint8Array(Buffer.from(hex, "hex")), 8));
  } catch (error) {
    console.log(hex, error.constructor.name);
  }
}
JS
seen=$(node run.mjs)
echo "$seen"
[ "$seen" = "1a7fffffff 2147483647
1a80000000 TypeError
1affffffff TypeError
1b00000000ffffffff 4294967295
3a80000000 TypeError" ] || { echo "changed" >&2; exit 1; }
