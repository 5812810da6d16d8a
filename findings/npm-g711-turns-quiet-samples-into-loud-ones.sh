#!/usr/bin/env bash
# g711 1.0.1 (npm): in A-law a sample from -1 to -7 becomes -248, while 1 to 7 become 8.
#
# Guess: A-law is the same on both sides of zero but for the sign (ITU-T G.711, table 1), and a small sample is within 16 of what it was.
# Seen: the encoder makes a negative sample positive and takes eight off, so that those above -8 stay negative; the shift that follows finds ones there,
#   and the octet is the last of the lowest segment, 5a: -248. The hiss of a quiet line, -1 to 1, is a crackle of 256 from top to bottom.
#   From -8 down, for positive samples and in mu-law beside it all is within a step.
# Source: dist/main.js, linear2alaw (pcm_val = -pcm_val - 8, then >> 4).
# Output seen: "7: d5, 8", "-1: 5a, -248", "-7: 5a, -248", "-8: 55, -8", "mu-law -7: 7e, -8"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund g711@1.0.1 >/dev/null || exit 2
cat >run.js <<'JS'
const { alawFromPCM, alawToPCM, ulawFromPCM, ulawToPCM } = require("g711");
const show = (name, sample, encode, decode) => {
  const octets = encode(Int16Array.of(sample));
  console.log(`${name}${sample}: ${octets[0].toString(16)}, ${decode(octets)[0]}`);
};
for (const sample of [7, -1, -7, -8]) show("", sample, alawFromPCM, alawToPCM);
show("mu-law ", -7, ulawFromPCM, ulawToPCM);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "7: d5, 8
-1: 5a, -248
-7: 5a, -248
-8: 55, -8
mu-law -7: 7e, -8" ] || { echo "changed" >&2; exit 1; }
