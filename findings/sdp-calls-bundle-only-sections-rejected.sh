#!/usr/bin/env bash
# sdp 3.2.2 (npm): `isRejected` is true for a data section that is offered as "bundle-only".
#
# Guess: a section is rejected if its port is 0 and it is not marked a=bundle-only: in an offer that mark says that the section
#   is to be used, with the transport of its group (RFC 9143 §6), and the port has to be 0 then.
# Seen: the port alone is asked for, so that a section behind the first of a "max-bundle" offer, where the data section comes
#   last as a rule, counts as refused. Programs that go by it open no channel, or take the section out, though the group
#   (a=group:BUNDLE 0 1) names it. The other answer, for a section that is refused, is the same: true.
# Source: sdp.js, isRejected.
# Output seen: "offered: false", "bundle-only: true", "refused: true"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund sdp@3.2.2 >/dev/null || exit 2
cat >run.js <<'JS'
const sdp = require("sdp");
const section = (port, ...lines) => [`m=application ${port} UDP/DTLS/SCTP webrtc-datachannel`, "c=IN IP4 0.0.0.0",
  "a=mid:1", "a=sctp-port:5000", ...lines, ""].join("\r\n");
console.log(`offered: ${sdp.isRejected(section(9))}`);
console.log(`bundle-only: ${sdp.isRejected(section(0, "a=bundle-only"))}`);
console.log(`refused: ${sdp.isRejected(section(0))}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "offered: false
bundle-only: true
refused: true" ] || { echo "changed" >&2; exit 1; }
