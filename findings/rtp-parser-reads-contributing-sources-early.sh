#!/usr/bin/env bash
# rtp-parser 1.0.0 (npm): contributing sources of an RTP packet are read three bytes too early, and an extension is payload.
#
# Guess: csrc has the 32-bit words behind the SSRC (RFC 3550 §5.1), as many as csrcCount says, and payload begins behind them, and
#   behind the header extension and before the padding, both of whose flags the parser returns.
# Seen: csrc begins with the last three bytes of the SSRC and the first of the list, 0xadbecf11 for 0x11223344 behind the
#   SSRC 0x9cadbecf; the last byte is in none of them. The count is right, so that a list of the speakers of a mixer looks whole, and
#   no number of it is the SSRC of anybody. The payload does begin behind the list, but holds the extension and the padding.
# Source: index.js: readUInt32BE(9 + 4 * i), where the fixed header has 12 bytes.
# Output seen: "count 2, csrc adbecf11 22334455", "payload bede00011000007f6869000002", "expected 11223344 55667788 and 6869"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund rtp-parser@1.0.0 >/dev/null || exit 2
cat >read.js <<'JS'
const { parseRtpPacket } = require("rtp-parser");
const fixed = "b2600001000000a09cadbecf"; // version 2, padding, extension, two contributing sources
const extension = "bede0001" + "1000007f";
const read = parseRtpPacket(Buffer.from(fixed + "11223344" + "55667788" + extension + "6869" + "000002", "hex"));
console.log(`count ${read.csrcCount}, csrc ${read.csrc.map((source) => source.toString(16)).join(" ")}`);
console.log(`payload ${read.payload.toString("hex")}`);
console.log("expected 11223344 55667788 and 6869");
JS
seen=$(node read.js)
echo "$seen"
[ "$seen" = "count 2, csrc adbecf11 22334455
payload bede00011000007f6869000002
expected 11223344 55667788 and 6869" ] || { echo "changed" >&2; exit 1; }
