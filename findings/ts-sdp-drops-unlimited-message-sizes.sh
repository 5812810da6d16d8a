#!/usr/bin/env bash
# @webex/ts-sdp 1.8.2 (npm): a=max-message-size:0, "any size", is missing when a description is written; so the limit is 64 KiB.
#
# Guess: a description that is parsed and written keeps the line, as it does with 262144, and as unknown lines are kept.
# Seen: 0 is taken for "not there". It has a meaning of its own, messages of any size (RFC 8841 §6.1), and the absence of the
#   line another one, 65536 (§6.1): the other end refuses to send more than that, though both ends could. In the parsed
#   object, `media[0].maxMessageSize` is 0, and nothing in the program fails.
# Source: dist/cjs/index.js, toLines of the data section, which asks whether the size is true.
# Output seen: "262144: a=max-message-size:262144", "0: parsed 0, written without"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @webex/ts-sdp@1.8.2 >/dev/null || exit 2
cat >run.js <<'JS'
const { parse } = require("@webex/ts-sdp");
for (const size of [262144, 0]) {
  const session = parse(["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0",
    "m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0", "a=mid:0", "a=sctp-port:5000",
    `a=max-message-size:${size}`, ""].join("\r\n"));
  const line = session.toString().match(/a=max-message-size:\d+/);
  console.log(`${size}: ${line ? line[0] : `parsed ${session.media[0].maxMessageSize}, written without`}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "262144: a=max-message-size:262144
0: parsed 0, written without" ] || { echo "changed" >&2; exit 1; }
