#!/usr/bin/env bash
# node-datachannel 0.33.4 (npm), polyfill: a typed array is sent as one byte per element, a DataView as nothing, and a Blob
# after messages that were sent later.
#
# Guess: RTCDataChannel.send takes the bytes of a view (W3C WebRTC, §6.2, send): a Uint16Array of 1 and 300 is four bytes,
#   a Float32Array of 1.5 four as well; an ordered channel delivers in the order of the calls, of whatever type.
# Seen: each element is cut to its lowest eight bits, 1 and 44, and 1.5 is one byte of 1; a DataView arrives empty. Uint8Array
#   and ArrayBuffer are right, so that only some messages arrive changed, and without an error. A Blob is read first and
#   sent when it is, so that "after" overtakes it.
# Source: dist/esm/polyfill/RTCDataChannel.mjs, send: new Uint8Array(view) copies elements; of a Blob the promise.
# Output seen: Uint16Array 4 bytes: 012c, Float32Array 4 bytes: 01, DataView 2 bytes: (none), then "after, blob"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund node-datachannel@0.33.4
cat >run.js <<'JS'
const { RTCPeerConnection } = require("node-datachannel/polyfill");
setTimeout(() => process.exit(2), 30000).unref();
(async () => {
  const [from, to] = [0, 1].map(() => new RTCPeerConnection({ iceServers: [] }));
  const [sender, receiver] = [from, to].map((end) => end.createDataChannel("one", { negotiated: true, id: 1 }));
  await from.setLocalDescription(await from.createOffer());
  await to.setRemoteDescription(from.localDescription);
  await to.setLocalDescription(await to.createAnswer());
  await from.setRemoteDescription(to.localDescription);
  from.onicecandidate = ({ candidate }) => candidate && to.addIceCandidate(candidate);
  to.onicecandidate = ({ candidate }) => candidate && from.addIceCandidate(candidate);
  await new Promise((open) => (sender.onopen = open));
  receiver.binaryType = "arraybuffer";
  const views = [new Uint16Array([1, 300]), new Float32Array([1.5]), new DataView(new Uint8Array([7, 8]).buffer)];
  const arrived = [];
  receiver.onmessage = ({ data }) => arrived.push(Buffer.from(data));
  for (const view of views) sender.send(view);
  sender.send(new Blob(["blob"]));
  sender.send("after");
  while (arrived.length < 5) await new Promise((done) => setTimeout(done, 100));
  views.forEach((view, at) =>
    console.log(`${view.constructor.name} ${view.byteLength} bytes: ${arrived[at].toString("hex") || "(none)"}`),
  );
  console.log(arrived.slice(3).join(", "));
  process.exit();
})();
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'Uint16Array 4 bytes: 012c
Float32Array 4 bytes: 01
DataView 2 bytes: (none)
after, blob' ] || { echo "changed" >&2; exit 1; }
