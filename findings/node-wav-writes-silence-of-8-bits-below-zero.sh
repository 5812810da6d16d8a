#!/usr/bin/env bash
# node-wav 0.0.2 (npm): silence in 8 bits is 127, which its own reader takes for -0.0078.
#
# Guess: samples of 8 bits are without a sign, and 128 is their zero (Multimedia Programming Interface and Data Specifications 1.0, "Data Format of the
#   Samples"), as the reader has it.
# Seen: (0 * 0.5 + 0.5) * 255 is 127.5, cut to 127. Silence has a constant part, and a file that is read and written several times sinks by a step each
#   time.
# Source: index.js, data_encoders.pcm8; data_decoders.pcm8 takes 128.
# Output seen: "pass 1: octets 127 159, read -0.0078 0.2441", "pass 2: octets 126 158, read -0.0156 0.2362", "pass 3: octets 125 157, read -0.0234 0.2283"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts node-wav@0.0.2 >/dev/null || exit 2
cat >run.js <<'JS'
const wav = require("node-wav");
let samples = Float32Array.from([0, 0.25]);
for (let pass = 1; pass <= 3; pass++) {
    const file = new Uint8Array(wav.encode([samples], { sampleRate: 8000, bitDepth: 8 }));
    [samples] = wav.decode(file.buffer).channelData;
    console.log(`pass ${pass}: octets ${file.subarray(44).join(" ")}, read ${[...samples].map((sample) => sample.toFixed(4)).join(" ")}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "pass 1: octets 127 159, read -0.0078 0.2441
pass 2: octets 126 158, read -0.0156 0.2362
pass 3: octets 125 157, read -0.0234 0.2283" ] || { echo "changed" >&2; exit 1; }
