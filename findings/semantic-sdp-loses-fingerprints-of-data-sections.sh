#!/usr/bin/env bash
# semantic-sdp 3.31.1 (npm): a description with nothing but a data section is written without fingerprint and role.
#
# Guess: SDPInfo.parse and toString keep what DTLS needs: a=fingerprint and a=setup, which each section over DTLS has, a data
#   section as well (RFC 8842 §5, RFC 8841 §4.2, UDP/DTLS/SCTP). The parsed object has both (getDTLS).
# Seen: both are written for audio and video alone. An answer for a data channel is taken by no browser ("called without a
#   fingerprint"); with a video section beside it the connection works, since all share one transport. A candidate of
#   TCP loses its tcptype as well, without which it is not valid (RFC 6544 §4.5).
# Source: lib/SDPInfo.js, toString, whose branch for data channels has no DTLS; lib/CandidateInfo.js has no field for it.
# Output seen: "parsed: sha-256 actpass", "data alone: fingerprint false, setup false", "video, too: fingerprint true, setup
#   true", "candidate:2 1 tcp 1518280447 192.0.2.1 9 typ host"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund semantic-sdp@3.31.1 >/dev/null || exit 2
cat >run.js <<'JS'
const { SDPInfo, Setup } = require("semantic-sdp");
const security = ["a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuvwx", "a=setup:actpass",
  `a=fingerprint:sha-256 ${Array(32).fill("AB").join(":")}`];
const data = ["m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0", ...security, "a=mid:0",
  "a=sctp-port:5000", "a=candidate:2 1 tcp 1518280447 192.0.2.1 9 typ host tcptype active"];
const video = ["m=video 9 UDP/TLS/RTP/SAVPF 96", "c=IN IP4 0.0.0.0", ...security, "a=mid:1", "a=rtpmap:96 VP8/90000"];
const parse = (...sections) =>
  SDPInfo.parse(["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", ...sections.flat(), ""].join("\r\n"));
const show = (name, info) =>
  console.log(`${name}: fingerprint ${/a=fingerprint/.test(info)}, setup ${/a=setup/.test(info)}`);
const dtls = parse(data).getDTLS();
console.log(`parsed: ${dtls.getHash()} ${Setup.toString(dtls.getSetup())}`);
show("data alone", parse(data).toString());
show("video, too", parse(data, video).toString());
console.log(parse(data).toString().match(/candidate:.*typ host.*/)[0].trim());
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "parsed: sha-256 actpass
data alone: fingerprint false, setup false
video, too: fingerprint true, setup true
candidate:2 1 tcp 1518280447 192.0.2.1 9 typ host" ] || { echo "changed" >&2; exit 1; }
