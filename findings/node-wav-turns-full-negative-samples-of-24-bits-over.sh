#!/usr/bin/env bash
# node-wav 0.0.2 (npm): the lowest sample of 24 bits is read as the highest; its own -1 comes back as +1.
#
# Guess: 0x800000 is -8388608, two's complement, and with it -1.0; clipping at the lower end writes it.
# Seen: only what is greater than 0x800000 is taken for negative. One sample in a clipped wave jumps from the bottom to the top (1.0000001, above the
#   range), as a loud click. 16 and 32 bits are right.
# Source: index.js, data_decoders.pcm24 (xx > 0x800000).
# Output seen: "16 bits: -1.00 -0.50 0.00 0.50 1.00", "24 bits: 1.00 -0.50 0.00 0.50 1.00", "32 bits: -1.00 -0.50 0.00 0.50 1.00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts node-wav@0.0.2 >/dev/null || exit 2
cat >run.js <<'JS'
const wav = require("node-wav");
for (const bitDepth of [16, 24, 32]) {
    const file = wav.encode([Float32Array.from([-1, -0.5, 0, 0.5, 1])], { sampleRate: 8000, bitDepth });
    console.log(`${bitDepth} bits: ${[...wav.decode(new Uint8Array(file).buffer).channelData[0]].map((sample) => sample.toFixed(2)).join(" ")}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "16 bits: -1.00 -0.50 0.00 0.50 1.00
24 bits: 1.00 -0.50 0.00 0.50 1.00
32 bits: -1.00 -0.50 0.00 0.50 1.00" ] || { echo "changed" >&2; exit 1; }
