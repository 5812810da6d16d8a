#!/usr/bin/env bash
# webrtc-stun 3.0.0 (npm): the connectivity checks of an ICE agent are invalid, and those that nominate are no STUN.
#
# Guess: a "STUN implementation for WebRTC" takes what browsers send first, a binding request with PRIORITY, ICE-CONTROLLING and,
#   at the end, USE-CANDIDATE (RFC 8445 §7.1). Attributes that it does not know are passed over if they are optional,
#   and the fingerprint is over the bytes as they came (RFC 8489 §14.7).
# Seen: unknown attributes are dropped, with a line on the console, and the rest is encoded again and checked: the fingerprint
#   does not match, nor the integrity, which goes the same way. USE-CANDIDATE has a length of 0, for which `loadBuffer`
#   says false, as for bytes that are no STUN. A request with USERNAME alone is valid.
# Source: lib/message.js, loadBuffer (length === 0) and validateFingerprint (toBuffer).
# Output seen: "USERNAME: loaded true, fingerprint true", "PRIORITY: loaded true, fingerprint false",
#   "ICE-CONTROLLING: loaded true, fingerprint false", "USE-CANDIDATE: loaded false"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund webrtc-stun@3.0.0 >/dev/null || exit 2
cat >run.js <<'JS'
const stun = require("webrtc-stun");
console.log = () => {};
const crc32 = (bytes) => {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
};
const attribute = (type, value) => {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, value]);
};
const message = (body, more) => {
  const head = Buffer.from("000100002112a442" + "07".repeat(12), "hex");
  head.writeUInt16BE(body.length + more, 2);
  return Buffer.concat([head, body]);
};
const user = attribute(0x0006, Buffer.from("peer1:us"));
for (const [name, more] of [
  ["USERNAME", Buffer.alloc(0)],
  ["PRIORITY", attribute(0x0024, Buffer.from("6e0001ff", "hex"))],
  ["ICE-CONTROLLING", attribute(0x802a, Buffer.alloc(8, 1))],
  ["USE-CANDIDATE", attribute(0x0025, Buffer.alloc(0))],
]) {
  const body = Buffer.concat([user, more]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE((crc32(message(body, 8)) ^ 0x5354554e) >>> 0);
  const read = stun.createBlank();
  const loaded = read.loadBuffer(message(Buffer.concat([body, attribute(0x8028, sum)]), 0));
  const valid = loaded ? `, fingerprint ${read.isBindingRequest({ fingerprint: true })}` : "";
  process.stdout.write(`${name}: loaded ${loaded}${valid}\n`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "USERNAME: loaded true, fingerprint true
PRIORITY: loaded true, fingerprint false
ICE-CONTROLLING: loaded true, fingerprint false
USE-CANDIDATE: loaded false" ] || { echo "changed" >&2; exit 1; }
