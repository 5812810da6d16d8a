#!/usr/bin/env bash
# open-sml 1.0.4 (npm): an octet string of 15 octets is written as one of 14, one of one octet as none.
#
# Guess: the length of an SML octet string counts the octets of the length itself (SML, BSI TR-03109-1, annex IV b, TL-field): one octet is 02 41, 15 are 81
#   01 and the text, since 16 does not fit into four bits, 16 are 81 02.
# Seen: the number of octets of the length is reckoned from the text alone: none for one octet, one for 15 and 16. The length is too small by one, its
#   own reader loses the last octet and takes it for the next field; one octet is 01, the sign of an absent value. 2 to 14 and 17 to 253 are right, 254 to
#   256 are wrong again.
# Source: lib/SmlBuffer.js, writeTLField: bytes = Math.ceil(Math.log(length) / Math.log(2) / 4).
# Output seen: "1: 0141, read nothing, left over 1", "2: 0341, read 2, left over 0", "14: 0f41, read 14, left over 0", "15: 8100, read 14, left over 1", "16: 8101, read 15, left over 1", "17: 8103, read 17, left over 0", "253: 8f0f, read 253, left over 0", "254: 8180, read 253, left over 1", "255: 8180, read 254, left over 1", "256: 8180, read 255, left over 1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts open-sml@1.0.4 >/dev/null || exit 2
cat >run.cjs <<'JS'
const SmlBuffer = require("open-sml").SmlBuffer || require("open-sml/lib/SmlBuffer");
for (const count of [1, 2, 14, 15, 16, 17, 253, 254, 255, 256]) {
  const written = new SmlBuffer();
  written.writeOctetString(Buffer.alloc(count, 0x41));
  const octets = written.getBuffer().subarray(0, written.getOffset());
  const reader = new SmlBuffer(octets);
  const read = reader.readOctetString();
  console.log(`${count}: ${octets.subarray(0, 2).toString("hex")}, read ${read === undefined ? "nothing" : read.length}, left over ${octets.length - reader.getOffset()}`);
}
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "1: 0141, read nothing, left over 1
2: 0341, read 2, left over 0
14: 0f41, read 14, left over 0
15: 8100, read 14, left over 1
16: 8101, read 15, left over 1
17: 8103, read 17, left over 0
253: 8f0f, read 253, left over 0
254: 8180, read 253, left over 1
255: 8180, read 254, left over 1
256: 8180, read 255, left over 1" ] || { echo "changed" >&2; exit 1; }
