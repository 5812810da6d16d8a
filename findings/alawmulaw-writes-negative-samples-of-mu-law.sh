#!/usr/bin/env bash
# alawmulaw 6.0.0 (npm): a sample of mu-law that is encoded alone is a number from -256 to -1, one of A-law a number from 0 to 255.
#
# Guess: encodeSample() of both laws makes "8-bit" samples, as the comments of the package say, so one octet each: silence is ff in mu-law and d5 in
#   A-law (ITU-T G.711), and writeUInt8() takes either. encode() of a whole array gives such octets.
# Seen: the bits are turned over in 32 bits and not cut to eight: silence is -1, the loudest negative sample -256. A buffer's writeUInt8() refuses it with a
#   RangeError, a comparison with 0xff or a table of 256 entries misses, and a silence detector that looks for 255 hears speech. Its own
#   decodeSample() takes such numbers, and a Uint8Array cuts them, so that arrays are right; so is A-law, where the octet is turned by eight bits.
# Source: lib/mulaw.js, encodeSample (~ without & 0xFF).
# Output seen: "A-law: 213, 42", "mu-law: -1, -256", "array: 255, 0", "written: RangeError" (of the samples 0 and -32768)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund alawmulaw@6.0.0 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { alaw, mulaw } = require("alawmulaw");
const samples = [0, -32768];
console.log(`A-law: ${samples.map(alaw.encodeSample).join(", ")}`);
console.log(`mu-law: ${samples.map(mulaw.encodeSample).join(", ")}`);
console.log(`array: ${[...mulaw.encode(Int16Array.from(samples))].join(", ")}`);
try {
  Buffer.alloc(1).writeUInt8(mulaw.encodeSample(0));
  console.log("written: yes");
} catch (error) {
  console.log(`written: ${error.name}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "A-law: 213, 42
mu-law: -1, -256
array: 255, 0
written: RangeError" ] || { echo "changed" >&2; exit 1; }
