#!/usr/bin/env bash
# sdp-transform 3.0.0 (npm): the number of streams in a=sctpmap is called maxMessageSize.
#
# Guess: `maxMessageSize` of a parsed data section is the size of a message in bytes, wherever in the object it stands.
# Seen: in the old form of a data section (a=sctpmap:5000 webrtc-datachannel 1024, as browsers sent it for years and
#   aiortc and GStreamer still read it) the third field is the number of streams; a program that sends the new
#   form from the object allows the peer 1024 bytes per message, or 65535 for a peer that allows 262144.
# Source: lib/grammar.js; draft-ietf-mmusic-sctp-sdp-04 (sctpmap-number, protocol, streams); RFC 8841 §6 has the size in
#   a=max-message-size.
# Output seen: sctpmap.maxMessageSize 1024, maxMessageSize undefined
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund sdp-transform@3.0.0
cat >run.js <<'JS'
const { parse } = require("sdp-transform");
const [section] = parse(
  "v=0\r\nm=application 9 DTLS/SCTP 5000\r\na=sctpmap:5000 webrtc-datachannel 1024\r\n",
).media;
console.log(`sctpmap.maxMessageSize ${section.sctpmap.maxMessageSize}, maxMessageSize ${section.maxMessageSize}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "sctpmap.maxMessageSize 1024, maxMessageSize undefined" ] || { echo "changed" >&2; exit 1; }
