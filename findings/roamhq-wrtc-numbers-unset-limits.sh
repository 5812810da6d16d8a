#!/usr/bin/env bash
# @roamhq/wrtc 0.10.0 (npm): a reliable data channel says that it has limits, 65535 retransmissions and 65535 ms; an unset id is -1.
#
# Guess: maxRetransmits, maxPacketLifeTime and id are null as long as there is none (W3C WebRTC §6.2: "unsigned short?"), so that
#   `channel.maxRetransmits === null` tells a reliable channel, as in browsers.
# Seen: each limit that is not set is 65535, which is a limit that one may set, too. A program that opens a channel like
#   another one, with its attributes as the options, gets TypeError (both limits are set), and one that
#   shows or sums up which channels are reliable finds none.
# Source: the attributes of libwebrtc's DataChannelInterface, where -1 is "not set", are passed on as unsigned shorts.
# Output seen: "{}: 65535 65535 -1", "copied: TypeError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @roamhq/wrtc@0.10.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { RTCPeerConnection } = require("@roamhq/wrtc");
const end = new RTCPeerConnection({ iceServers: [] });
const open = (options) => {
  const { maxRetransmits, maxPacketLifeTime, id } = end.createDataChannel("one", options);
  console.log(`${JSON.stringify(options)}: ${maxRetransmits} ${maxPacketLifeTime} ${id}`);
  return { maxRetransmits, maxPacketLifeTime };
};
const reliable = open({});
open({ maxRetransmits: 3 });
open({ maxPacketLifeTime: 100 });
try {
  open(reliable);
} catch (error) {
  console.log(`copied: ${error.name}`);
}
process.exit();
JS
seen=$(timeout 60 node run.js) || exit 2
echo "$seen"
[ "$seen" = '{}: 65535 65535 -1
{"maxRetransmits":3}: 3 65535 -1
{"maxPacketLifeTime":100}: 65535 100 -1
copied: TypeError' ] || { echo "changed" >&2; exit 1; }
