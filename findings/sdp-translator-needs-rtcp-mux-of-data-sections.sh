#!/usr/bin/env bash
# sdp-translator 0.1.24 (npm): a description with a data section cannot be converted, since it has no a=rtcp-mux.
#
# Guess: Interop.toPlanB and toUnifiedPlan regroup the sections of audio and video, and hand a data section on as it is: it has
#   no RTP, so no RTCP, and browsers write no a=rtcp-mux there (RFC 5761 §5.1.1 is for RTP sessions).
# Seen: an Error "m-lines without the rtcp-mux attribute were found", in both directions, for the whole description. Audio alone
#   is converted. The message sends one to the audio and video sections, all of which have the line; with a meaningless
#   a=rtcp-mux in the data section the conversion works, and writes the section with it.
# Source: lib/interop.js, the check of all sections in toPlanB and toUnifiedPlan. A class stands in for the browser's
#   RTCSessionDescription here.
# Output seen: "audio: converted", "audio and data: Error", "audio and data with rtcp-mux: converted"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund sdp-translator@0.1.24 >/dev/null || exit 2
cat >run.js <<'JS'
global.RTCSessionDescription = class { constructor(value) { Object.assign(this, value); } };
const { Interop } = require("sdp-translator");
const transport = ["c=IN IP4 0.0.0.0", "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuvwx", "a=setup:actpass",
  `a=fingerprint:sha-256 ${Array(32).fill("AB").join(":")}`];
const audio = ["m=audio 9 UDP/TLS/RTP/SAVPF 111", ...transport, "a=mid:0", "a=rtcp-mux", "a=sendrecv",
  "a=rtpmap:111 opus/48000/2", "a=ssrc:1 cname:x", "a=ssrc:1 msid:s t", "a=msid:s t"];
const data = ["m=application 9 UDP/DTLS/SCTP webrtc-datachannel", ...transport, "a=mid:1", "a=sctp-port:5000"];
const convert = (name, ...sections) => {
  const sdp = ["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0",
    `a=group:BUNDLE ${sections.map((_, index) => index).join(" ")}`, ...sections.flat(), ""].join("\r\n");
  try {
    new Interop().toPlanB({ type: "offer", sdp });
    console.log(`${name}: converted`);
  } catch (error) {
    console.log(`${name}: ${error.name}`);
  }
};
convert("audio", audio);
convert("audio and data", audio, data);
convert("audio and data with rtcp-mux", audio, [...data, "a=rtcp-mux"]);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "audio: converted
audio and data: Error
audio and data with rtcp-mux: converted" ] || { echo "changed" >&2; exit 1; }
