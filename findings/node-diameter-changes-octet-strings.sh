#!/usr/bin/env bash
# diameter 0.7.0 (npm, node-diameter): bytes of an OctetString that are no UTF-8 are lost in decoding.
#
# Guess: an OctetString is arbitrary bytes (RFC 6733 §4.2; UTF8String is another type) and decodes to a Buffer; Class,
#   which a client has to send back as the server gave it (§8.20), can be copied from one message to the next.
# Seen: it decodes to text, each byte that fits no character becomes U+FFFD, and the copy is longer. Servers that find
#   their session by Class do not find it; State, location and address AVPs of 3GPP are as unreadable.
# Source: lib/diameter-types.js: OctetString and UTF8String have one codec.
# Output seen: "sent deadbeef, copied deadefbfbdefbfbd"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund diameter@0.7.0
cat >run.js <<'JS'
const codec = require("diameter/lib/diameter-codec");
const build = (value) => {
  const message = codec.constructRequest("Diameter Common Messages", "Accounting", "1");
  message.header.hopByHopId = 1;
  message.body = [["Class", value]];
  return codec.encodeMessage(message);
};
const value = (bytes) => bytes.subarray(28, 20 + bytes.readUIntBE(25, 3)).toString("hex");
const sent = build(Buffer.from("deadbeef", "hex"));
const copied = build(codec.decodeMessage(sent).body[0][1]);
console.log(`sent ${value(sent)}, copied ${value(copied)}`);
JS
seen=$(node --no-deprecation run.js)
echo "$seen"
[ "$seen" = "sent deadbeef, copied deadefbfbdefbfbd" ] || { echo "changed" >&2; exit 1; }
