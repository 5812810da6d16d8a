#!/usr/bin/env bash
# node-wav 0.0.2 (npm): a file with a comment of odd length has no samples, and no error tells of it.
#
# Guess: a chunk of odd length is followed by one octet that its length does not count (Multimedia Programming Interface and Data Specifications 1.0,
#   "RIFF"); editors that write a title put such a LIST chunk before the data.
# Seen: the reader goes on at the padding, finds chunks that there are not, and returns undefined, where an invalid file throws. With a title of even
#   length the same file is read.
# Source: index.js, decode (let next = pos + size).
# Output seen: "comment of 4 octets: 3 samples", "comment of 5 octets: undefined"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts node-wav@0.0.2 >/dev/null || exit 2
cat >run.js <<'JS'
const wav = require("node-wav");
const plain = Buffer.from(wav.encode([Float32Array.from([0, 0.5, -0.5])], { sampleRate: 8000 }));
for (const comment of ["four", "three"]) {
    const text = Buffer.concat([Buffer.from(`${comment}`), Buffer.alloc(comment.length % 2)]);
    const chunk = Buffer.concat([Buffer.from("note"), Buffer.from([comment.length, 0, 0, 0]), text]);
    const file = Buffer.concat([plain.subarray(0, 36), chunk, plain.subarray(36)]);
    file.writeUInt32LE(file.length - 8, 4);
    const found = wav.decode(new Uint8Array(file).buffer);
    console.log(`comment of ${comment.length} octets: ${found && `${found.channelData[0].length} samples`}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "comment of 4 octets: 3 samples
comment of 5 octets: undefined" ] || { echo "changed" >&2; exit 1; }
