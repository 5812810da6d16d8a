#!/usr/bin/env bash
# quicvarint 0.1.4 (npm): variable-length integers of QUIC from 2^31 on are read as other numbers, negative ones among them.
#
# Guess: "Variable-Length Integer Encoding defined by RFC 9000" reads each of them up to 2^53 exactly, which a JavaScript number
#   holds, and refuses the rest (its README names a largest value, 2147483647, so perhaps all above that).
# Seen: `decode` refuses numbers of more than 32 bits only; 2^31 is read as -2147483648, and 2^32-1, a common initial_max_data, as
#   -1. `read`, for a DataView, refuses nothing: the number that RFC 9000 §A.1 has as its example of eight bytes becomes -15406964,
#   and 4294967296 becomes 0, as a limit of flow control "send nothing". A test with small numbers passes.
# Source: dist/index.js: bytes are joined with shifts, which JavaScript does with signed numbers of 32 bits.
# Output seen: "c0000000ffffffff decode -1 read -1", "c2197c5eff14e88c decode refused read -15406964"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund quicvarint@0.1.4 >/dev/null || exit 2
cat >run.js <<'JS'
const { decode, read } = require("quicvarint");
for (const hex of ["bfffffff", "c00000007fffffff", "c000000080000000", "c0000000ffffffff", "c000000100000000", "c2197c5eff14e88c"]) {
  const bytes = Uint8Array.from(Buffer.from(hex, "hex"));
  let decoded = "refused";
  try {
    decoded = decode(bytes).value;
  } catch {}
  console.log(hex, "decode", decoded, "read", read(new DataView(bytes.buffer), 0).value);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "bfffffff decode 1073741823 read 1073741823
c00000007fffffff decode 2147483647 read 2147483647
c000000080000000 decode -2147483648 read -2147483648
c0000000ffffffff decode -1 read -1
c000000100000000 decode refused read 0
c2197c5eff14e88c decode refused read -15406964" ] || { echo "changed" >&2; exit 1; }
