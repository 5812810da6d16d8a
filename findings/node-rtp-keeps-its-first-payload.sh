#!/usr/bin/env bash
# node-rtp 0.1.1 (npm): the payload of a packet cannot be replaced, so that all have the first; behind 65535 seq stands still.
#
# Guess: as the example for G.711 has it, one packet is made and gets a new payload, seq + 1 and time + 160 for each 20 ms. seq and
#   time wrap at 16 and 32 bits (RFC 3550 §5.1); a payload of more than 512 octets, the limit of the manual, is an error.
# Seen: in lib/RtpPacket the setter of payload asks whether the answer to "is it short enough?" is a buffer, which it never is:
#   nothing is set, without an error, and the peer hears the first 20 ms over and over under right numbers. seq = 65536 is passed
#   over, so that seq++ stays at 65535 for ever: a receiver drops what follows as duplicates, after 22 minutes of G.711.
# Source: lib/RtpPacket.js: `Buffer.isBuffer(val && val.length <= 512)`, and `val <= 65535` without a wrap. lib/rtppacket.js, the
#   same class in an older form, sets the payload; main names an index.js that is not there.
# Output seen: "payload: first", "seq: 65534 65535 65535 65535", "time: 4294967280 144"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts node-rtp@0.1.1 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { RtpPacket } = require("node-rtp/lib/RtpPacket");
const packet = new RtpPacket(Buffer.from("first"));
packet.payload = Buffer.from("second");
console.log(`payload: ${packet.payload}`);
const numbers = [];
packet.seq = 65534;
for (let count = 0; count < 4; count += 1) {
  numbers.push(packet.packet.readUInt16BE(2));
  packet.seq++;
}
console.log(`seq: ${numbers.join(" ")}`);
const times = [];
packet.time = 4294967280;
for (let count = 0; count < 2; count += 1) {
  times.push(packet.packet.readUInt32BE(4));
  packet.time += 160;
}
console.log(`time: ${times.join(" ")}`);
JS
seen=$(node --no-deprecation run.js)
echo "$seen"
[ "$seen" = "payload: first
seq: 65534 65535 65535 65535
time: 4294967280 144" ] || { echo "changed" >&2; exit 1; }
