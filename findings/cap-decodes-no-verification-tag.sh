#!/usr/bin/env bash
# cap 0.2.1 (npm): its decoder of SCTP passes over no verification tag, so that each chunk that it shows is made up.
#
# Guess: the common header has twelve bytes: ports, verification tag, checksum (RFC 9260 §3.1). `decoders.SCTP` has the field
#   `verifyTag`, and the chunks begin behind the checksum, as UDP's and TCP's fields of the same module come out right.
# Seen: the ports are right, then the upper half of the tag is called the checksum, and its lower half the type and flags of
#   the first chunk, whose length is half of the checksum; the length is counted without its own header, and without
#   padding. The DATA of this packet is not in the list. No error, and `verifyTag` is undefined.
# Source: lib/Decoders.js, SCTP, which has the lines of the UDP decoder in front of its loop over the chunks.
# Output seen: "ports 5000 2905, tag undefined, checksum 0", "chunks: 10 at 10, 4660 bytes"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts cap@0.2.1 >/dev/null || exit 2
cat >run.js <<'JS'
const { SCTP } = require("cap/lib/Decoders");
const header = "13880b59" + "0000000a" + "12345678";
const data = "00030015" + "00000001" + "00000000" + "0000002e" + "68656c6c6f000000";
const packet = Buffer.from(header + data, "hex");
const { info } = SCTP(packet, packet.length, 0);
console.log(`ports ${info.srcport} ${info.dstport}, tag ${info.verifyTag}, checksum ${info.checksum}`);
console.log("chunks:", info.chunks.map((chunk) => `${chunk.flags} at ${chunk.offset}, ${chunk.length} bytes`).join("; "));
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "ports 5000 2905, tag undefined, checksum 0
chunks: 10 at 10, 4660 bytes" ] || { echo "changed" >&2; exit 1; }
