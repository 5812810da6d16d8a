#!/usr/bin/env bash
# werift 0.24.4 (npm): data channels with maxRetransmits 0, or with maxPacketLifeTime, repeat lost messages for ever.
#
# Guess: both end the repetition, with FORWARD TSN (RFC 3758, RFC 8832 §5.1): with 0 a lost message is sent once, with a
#   life time of 100 ms it is given up at the first timeout. maxRetransmits 1 works so: two packets, then FORWARD TSN.
# Seen: 0 counts as "no limit"; the end of a life time is noted in milliseconds and compared with seconds, so that it
#   never comes. The message goes out again every second, and on an ordered channel everything behind it waits, though
#   the channel shows at both ends what was asked for.
# Source: lib/webrtc/src/transport/sctp.js (expiry), lib/sctp/src/sctp.js (maybeAbandon).
# Output seen: "maxRetransmits 1: given up", "maxRetransmits 0: repeated", "maxPacketLifeTime 100: repeated"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund werift@0.24.4
cat >run.js <<'JS'
const { RTCPeerConnection } = require("werift");
setTimeout(() => process.exit(2), 60000).unref();
const [DATA, FORWARD_TSN] = [0, 192];
async function lose(name, value) {
  const [from, to] = [0, 1].map(() => new RTCPeerConnection({ iceServers: [] }));
  const channel = from.createDataChannel("one", { [name]: value });
  await from.setLocalDescription(await from.createOffer());
  await to.setRemoteDescription(from.localDescription);
  await to.setLocalDescription(await to.createAnswer());
  await from.setRemoteDescription(to.localDescription);
  await new Promise((open) => channel.stateChanged.subscribe((state) => state === "open" && open()));
  const { transport } = from.sctpTransport.sctp;
  const send = transport.send;
  let packets = 0;
  const end = await new Promise((done) => {
    transport.send = async (packet) => {
      if (packet[12] === FORWARD_TSN) done("given up");
      if (packet[12] !== DATA) return send(packet);
      if (++packets === 5) done("repeated");
    };
    channel.send("lost");
  });
  return `${name} ${value}: ${end}`;
}
(async () => {
  const runs = [["maxRetransmits", 1], ["maxRetransmits", 0], ["maxPacketLifeTime", 100]];
  const lines = await Promise.all(runs.map(([name, value]) => lose(name, value)));
  console.log(lines.join("\n"));
  process.exit();
})();
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'maxRetransmits 1: given up
maxRetransmits 0: repeated
maxPacketLifeTime 100: repeated' ] || { echo "changed" >&2; exit 1; }
