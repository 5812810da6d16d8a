#!/usr/bin/env bash
# werift 0.24.4 (npm): an empty message on a data channel is counted as sent, and nothing is sent.
#
# Guess: the other end gets an empty message, as between browsers: since SCTP has no empty messages, one zero byte goes
#   out with the protocol identifier 56 or 57 (RFC 8831 §6.6). werift reads these two identifiers.
# Seen: the message is cut into no fragments, so no packet carries it. `send` returns, messagesSent grows. A protocol that
#   ends something with an empty message waits.
# Source: lib/webrtc/src/transport/sctp.js (datachannelSend), lib/sctp/src/sctp.js (send).
# Output seen: "sent 3, arrived one two"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund werift@0.24.4
cat >run.js <<'JS'
const { RTCPeerConnection } = require("werift");
setTimeout(() => process.exit(2), 60000).unref();
(async () => {
  const [from, to] = [0, 1].map(() => new RTCPeerConnection({ iceServers: [] }));
  const arrived = [];
  to.onDataChannel.subscribe((channel) => channel.onMessage.subscribe((message) => arrived.push(message)));
  const channel = from.createDataChannel("one", { ordered: false });
  await from.setLocalDescription(await from.createOffer());
  await to.setRemoteDescription(from.localDescription);
  await to.setLocalDescription(await to.createAnswer());
  await from.setRemoteDescription(to.localDescription);
  await new Promise((open) => channel.stateChanged.subscribe((state) => state === "open" && open()));
  for (const message of ["one", "", "two"]) channel.send(message);
  while (!arrived.includes("two")) await new Promise((done) => setTimeout(done, 100));
  await new Promise((done) => setTimeout(done, 1000));
  console.log("sent", channel.messagesSent + ",", "arrived", ...arrived);
  process.exit();
})();
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "sent 3, arrived one two" ] || { echo "changed" >&2; exit 1; }
