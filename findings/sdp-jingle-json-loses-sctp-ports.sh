#!/usr/bin/env bash
# sdp-jingle-json 3.1.0 (npm): a data section in today's form loses its port, its size limit and its format.
#
# Guess: SDP that goes through Jingle's form (toSessionJSON, toSessionSDP) comes out with the same meaning: XEP-0343 has the
#   port, and a data section is of use only with it. For the form of the drafts, a=sctpmap, that is so.
# Seen: of a=sctp-port and a=max-message-size (RFC 8841 §5, §6), which browsers have sent for years, nothing is in the JSON;
#   the list `sctp` is empty. The section that is made of it ends behind the protocol, "m=application 1 DTLS/SCTP", without
#   the format that RFC 8866 §5.14 asks for, so that the other end cannot parse the offer. No error on the way.
# Source: lib/tojson.js reads a=sctpmap alone, lib/tosdp.js writes the formats of `sctp`.
# Output seen: "old: m=application 1 DTLS/SCTP 5001, a=sctpmap:5001 webrtc-datachannel 1024",
#   "new: m=application 1 DTLS/SCTP"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund sdp-jingle-json@3.1.0 >/dev/null || exit 2
cat >run.js <<'JS'
const jingle = require("sdp-jingle-json");
const through = (section) => {
  const offer = ["v=0", "o=- 1 2 IN IP4 192.0.2.1", "s=-", "t=0 0", section[0], "c=IN IP4 0.0.0.0", "a=ice-ufrag:abcd",
    "a=ice-pwd:abcdefghijklmnopqrstuvwx", "a=mid:0", ...section.slice(1), ""].join("\r\n");
  const json = jingle.toSessionJSON(offer, { role: "initiator", direction: "outgoing" });
  const back = jingle.toSessionSDP(json, { role: "initiator", direction: "outgoing", sid: "1", time: "2" });
  return back.split(/\r\n/).filter((line) => /^m=|sctp|max-message/.test(line)).map((line) => line.trim()).join(", ");
};
console.log("old:", through(["m=application 9 DTLS/SCTP 5001", "a=sctpmap:5001 webrtc-datachannel 1024"]));
console.log("new:", through(["m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "a=sctp-port:5001",
  "a=max-message-size:262144"]));
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "old: m=application 1 DTLS/SCTP 5001, a=sctpmap:5001 webrtc-datachannel 1024
new: m=application 1 DTLS/SCTP" ] || { echo "changed" >&2; exit 1; }
