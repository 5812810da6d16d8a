#!/usr/bin/env bash
# @roamhq/wrtc 0.10.0 (npm, libwebrtc for Node): a message that is one byte too large is taken, and the channel is closed.
#
# Guess: `send` with more than sctp.maxMessageSize throws TypeError (W3C WebRTC §6.2, send), which nothing else notices: the
#   channel stays open, and what is sent before and after it arrives. So it is in browsers, with the same library below.
# Seen: `send` returns. The channel of this end is closed at once, without an error event; the next `send` throws InvalidStateError. The
#   other end's channel stays open and is never told. Under load, where the message has to wait, `send` goes on to return, even
#   for messages behind it, which are lost, and the channel closes later. With 262144 bytes, the limit, all arrive.
# Source: the check is Blink's, not libwebrtc's; pc/sctp_data_channel.cc closes a channel abruptly whose transport refuses a message.
# Output seen: "262145 bytes, limit 262144: sent sent InvalidStateError, here closed, there open, arrived 1000, events close"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @roamhq/wrtc@0.10.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { RTCPeerConnection } = require("@roamhq/wrtc");
const pause = (time) => new Promise((done) => setTimeout(done, time));
const described = async (end, description) => {
  await end.setLocalDescription(description);
  while (end.iceGatheringState !== "complete") await pause(10);
  return end.localDescription;
};
(async () => {
  for (const size of [262144, 262145]) {
    const [from, to] = [0, 1].map(() => new RTCPeerConnection({ iceServers: [] }));
    const [sender, receiver] = [from, to].map((end) => end.createDataChannel("one", { negotiated: true, id: 1 }));
    await to.setRemoteDescription(await described(from, await from.createOffer()));
    await from.setRemoteDescription(await described(to, await to.createAnswer()));
    while (sender.readyState !== "open" || receiver.readyState !== "open") await pause(10);
    const [arrived, events, sent] = [[], [], []];
    receiver.onmessage = ({ data }) => arrived.push(data.byteLength);
    sender.onerror = () => events.push("error");
    sender.onclose = () => events.push("close");
    for (const length of [1000, size, 1000]) {
      try {
        sender.send(new Uint8Array(length));
        sent.push("sent");
      } catch (error) {
        sent.push(error.name);
      }
    }
    await pause(3000);
    console.log(`${size} bytes, limit ${from.sctp.maxMessageSize}: ${sent.join(" ")}, here ${sender.readyState}, ` +
      `there ${receiver.readyState}, arrived ${arrived.join(" ")}, events ${events.join(" ") || "none"}`);
    from.close();
    to.close();
  }
  process.exit();
})();
JS
seen=$(timeout 120 node run.js) || exit 2
echo "$seen"
[ "$seen" = "262144 bytes, limit 262144: sent sent sent, here open, there open, arrived 1000 262144 1000, events none
262145 bytes, limit 262144: sent sent InvalidStateError, here closed, there open, arrived 1000, events close" ] || {
    echo "changed" >&2
    exit 1
}
