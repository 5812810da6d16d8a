#!/usr/bin/env bash
# twkb 0.2.2 (npm): a point at 114.15 E, 22.28 N with seven decimals is shown at 100.6 W.
#
# Guess: a number may take up to 64 bits (TWKB, "varint"), and seven is the greatest precision of the format: 114.15 degrees are 1141500000, 2283000000
#   as a signed varint, 32 bits.
# Seen: the groups of seven bits are joined with | and <<, which have 32 bits and a sign in this language: from 2^30 on the value comes out of the sign
#   and is another. At seven decimals all between 107.37 E and 180 and between 107.37 W and 180 lands elsewhere; at six all is right.
# Source: src/protobuf.js, readVarInt64: nVal | (nByte << nShift), and unzigzag with >>.
# Output seen: "13.3777 52.5163, 7 decimals: [13.3777,52.5163]", "-70.6 -33.4, 7 decimals: [-70.6,-33.4]", "107.37 10, 7 decimals: [107.37,10]", "107.38 10, 7 decimals: [-107.3683648,10]", "114.15 22.28, 7 decimals: [-100.5983648,22.28]", "114.15 22.28, 6 decimals: [114.15,22.28]", "-157.85 21.3, 7 decimals: [56.8983648,21.3]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts twkb@0.2.2 >/dev/null || exit 2
cat >run.cjs <<'JS'
const twkb = require("twkb");
const varint = (value) => {
  const octets = [];
  for (let rest = value >= 0n ? 2n * value : -2n * value - 1n; ; rest >>= 7n) {
    octets.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    if (rest <= 127n) return octets;
  }
};
for (const [east, north, digits] of [[13.3777, 52.5163, 7], [-70.6, -33.4, 7], [107.37, 10, 7], [107.38, 10, 7], [114.15, 22.28, 7], [114.15, 22.28, 6], [-157.85, 21.3, 7]]) {
  const [x, y] = [east, north].map((degrees) => varint(BigInt(Math.round(degrees * 10 ** digits))));
  const octets = Uint8Array.from([(digits * 2) << 4 | 1, 0, ...x, ...y]);
  console.log(`${east} ${north}, ${digits} decimals: ${JSON.stringify(twkb.read(octets)[0].coordinates)}`);
}
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "13.3777 52.5163, 7 decimals: [13.3777,52.5163]
-70.6 -33.4, 7 decimals: [-70.6,-33.4]
107.37 10, 7 decimals: [107.37,10]
107.38 10, 7 decimals: [-107.3683648,10]
114.15 22.28, 7 decimals: [-100.5983648,22.28]
114.15 22.28, 6 decimals: [114.15,22.28]
-157.85 21.3, 7 decimals: [56.8983648,21.3]" ] || { echo "changed" >&2; exit 1; }
