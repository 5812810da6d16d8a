#!/usr/bin/env bash
# rtc-sdp 1.3.1 (npm): its limit of bandwidth stands in front of the connection line, and its candidates are no attributes.
#
# Guess: a module for patching SDP keeps its grammar: b= comes behind i= and c= (RFC 8866 §5: "in exactly the order given"), and a new
#   limit replaces the old one (its source says "remove existing b=AS lines"). The candidate of an RTCIceCandidate, "candidate:1 1
#   udp ...", becomes "a=candidate:1 1 udp ...", since its text comes without "a=" (RFC 8839 §5.1 has the attribute).
# Seen: b=AS comes right behind m=, or behind s= for the session, in both cases before c=. An older limit is not replaced, so that audio has
#   512 and 64 kbit/s. The candidate is a line of its own, "candidate:1 1 udp ...", though no line type is longer than a letter.
#   Browsers forgive the order; a reader by the grammar, as gateways to SIP have, refuses such an offer, and none reads the candidate.
# Source: constrain-bandwidth.js: splice(idx + 1), and the filter, which compares three letters with the four of "b=AS"; index.js,
#   addIceCandidate: candidate.split('=').
# Output seen: "session: v o s b c t m c b a", "audio: v o s c t m b c b a", "limits: b=AS:512 b=AS:64", "candidate:1 1 udp ..."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund rtc-sdp@1.3.1 >/dev/null || exit 2
cat >run.js <<'JS'
const rtc = require("rtc-sdp");
const constrain = require("rtc-sdp/constrain-bandwidth");
const offer = `v=0
o=- 1 1 IN IP4 192.0.2.1
s=-
c=IN IP4 192.0.2.1
t=0 0
m=audio 9 UDP/TLS/RTP/SAVPF 0
c=IN IP4 192.0.2.1
b=AS:64
a=mid:0
`.replaceAll("\n", "\r\n");
const types = (text) => text.trim().split(/\r?\n/).map((line) => line[0]).join(" ");
console.log(`session: ${types(constrain(512)(offer))}`);
const section = constrain(512, "audio")(offer);
console.log(`audio: ${types(section)}`);
console.log(`limits: ${section.match(/^b=.*$/gm).join(" ")}`);
const description = rtc(offer);
description.addIceCandidate({ candidate: "candidate:1 1 udp 2130706431 192.0.2.1 5000 typ host", sdpMLineIndex: 0 });
console.log(description.toString().trim().split("\r\n").at(-1));
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "session: v o s b c t m c b a
audio: v o s c t m b c b a
limits: b=AS:512 b=AS:64
candidate:1 1 udp 2130706431 192.0.2.1 5000 typ host" ] || { echo "changed" >&2; exit 1; }
