#!/usr/bin/env bash
# dtmf-detection-stream 1.18.0 (npm): of sound that is written in pieces of one buffer it hears the first piece again and again.
#
# Guess: a stream takes any Buffer: the keys "159" are found whether they are written in one piece or in pieces of 20 ms, as RTP has them.
# Seen: the start of the whole buffer is heard, as many octets of it as the piece has: the place of the piece in the buffer is not asked for, though a
#   comment in the code speaks of buffers larger than the data. A subarray, a slice or the payload behind an RTP header is seldom at its start. Here
#   the 20 ms of silence at the start are heard each time, and no key at all; of an RTP packet the header is sound. Copied pieces are right.
# Source: index.js, _write (new Int16Array(chunk.buffer.slice(0, chunk.byteLength))): byteOffset is missing.
# Output seen: "one piece: 159", "copies: 159", "views: "
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund dtmf-detection-stream@1.18.0 >/dev/null || exit 2
cat >run.js <<'JS'
const DtmfDetectionStream = require("dtmf-detection-stream");
const RATE = 8000;
const KEYS = { 1: [697, 1209], 5: [770, 1336], 9: [852, 1477] };
const silence = (samples) => new Array(samples).fill(0);
const tone = ([low, high]) => silence(1600).map((_, place) =>
  Math.round(8000 * (Math.sin((2 * Math.PI * low * place) / RATE) + Math.sin((2 * Math.PI * high * place) / RATE))));
const samples = [...silence(800), ...[..."159"].flatMap((key) => [...tone(KEYS[key]), ...silence(1600)]), ...silence(8000)];
const sound = Buffer.from(Int16Array.from(samples).buffer);
const views = [];
for (let start = 0; start < sound.length; start += 320) views.push(sound.subarray(start, start + 320));
const copies = views.map((view) => {
  const copy = Buffer.alloc(view.length);
  view.copy(copy);
  return copy;
});
for (const [name, pieces] of [["one piece", [sound]], ["copies", copies], ["views", views]]) {
  const stream = new DtmfDetectionStream({ format: { sampleRate: RATE, channels: 1 } });
  let keys = "";
  stream.on("dtmf", ({ digit }) => (keys += digit));
  for (const piece of pieces) stream.write(piece);
  console.log(`${name}: ${keys}`);
}
process.exit(0);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "one piece: 159
copies: 159
views: " ] || { echo "changed" >&2; exit 1; }
