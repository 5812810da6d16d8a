#!/usr/bin/env bash
# node-datachannel 0.33.4 (npm, which has libdatachannel in it): each attribute of an offer's data section that it does not know stands in its answer.
#
# Guess: an answer says what its maker supports. A new attribute in an offer, without meaning to the answerer, is
#   absent from the answer, and its presence there says that the other end understood it.
# Seen: `a=x-tag:1234` of the offer's section stands in the answer, word for word. RFC 8866 §5 has unknown attributes ignored, and an offerer
#   counts on that: RFC 3264 §6 builds the answer from what both know. Extensions that are negotiated by presence (a=sctp-init of
#   draft-hancke-tsvwg-snap, for one) seem agreed on, with the offerer's own value. An extension needs a value by which an
#   echo is told from an answer.
# Source: found beside Sheave, whose offers had a=sctp-init.
# Output seen: "the answer has: a=x-tag:1234", "the answer has: a=x-flag"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund node-datachannel@0.33.4 >/dev/null 2>&1 || exit 2
cat > run.js <<'JS'
const { RTCPeerConnection } = require("node-datachannel/polyfill");
setTimeout(() => process.exit(2), 20000).unref();
(async () => {
  const [offerer, answerer] = [0, 1].map(() => new RTCPeerConnection({ iceServers: [] }));
  offerer.createDataChannel("one");
  await offerer.setLocalDescription(await offerer.createOffer());
  const sdp = offerer.localDescription.sdp.replace("a=sctp-port:", "a=x-tag:1234\r\na=x-flag\r\na=sctp-port:");
  await answerer.setRemoteDescription({ type: "offer", sdp });
  await answerer.setLocalDescription(await answerer.createAnswer());
  const copied = answerer.localDescription.sdp.split("\r\n").filter((line) => line.startsWith("a=x-"));
  for (const line of copied) console.log(`the answer has: ${line}`);
  process.exit(0);
})();
JS
seen=$(node run.js) || exit 2
echo "$seen"
[ "$seen" = "the answer has: a=x-tag:1234
the answer has: a=x-flag" ] || { echo "changed" >&2; exit 1; }
