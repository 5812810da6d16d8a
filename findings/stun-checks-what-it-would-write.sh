#!/usr/bin/env bash
# stun 2.1.0 and @msimerson/stun 3.2.1 (npm): a message whose padding is not zero fails the checks of integrity and fingerprint.
#
# Guess: both are computed over the bytes that arrived, up to the attribute (RFC 8489 §14.5, §14.7). Padding may be any
#   value (RFC 5389 §15) and is ignored (RFC 8489 §14); the messages of RFC 5769, which test stacks, are padded with blanks.
# Seen: the decoded message is encoded anew and that is checked; it is padded with zeros, so that the sum is another one. Both
#   functions say false for a right password; with zeros, or a text of a multiple of four bytes, they say true: a peer
#   works or does not by the length of its name.
# Source: lib/validate.js, src/lib/validate.js: encode(message).
# Output seen: for each, "padding 00: integrity true, fingerprint true", "padding 20: integrity false, fingerprint false"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund stun@2.1.0 @msimerson/stun@3.2.1 >/dev/null || exit 2
cat >run.js <<'JS'
const crypto = require("crypto");
const crc32 = (bytes) => {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
};
const attribute = (type, value, padding) => {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, value, Buffer.alloc(-value.length & 3, padding)]);
};
const message = (body, more) => {
  const head = Buffer.from("000100002112a442" + "07".repeat(12), "hex");
  head.writeUInt16BE(body.length + more, 2);
  return Buffer.concat([head, body]);
};
const request = (password, padding) => {
  let body = attribute(0x0006, Buffer.from("peer1:us"), padding);
  body = Buffer.concat([body, attribute(0x8022, Buffer.from("agent"), padding)]);
  const integrity = crypto.createHmac("sha1", password).update(message(body, 24)).digest();
  body = Buffer.concat([body, attribute(0x0008, integrity, 0)]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE((crc32(message(body, 8)) ^ 0x5354554e) >>> 0);
  return message(Buffer.concat([body, attribute(0x8028, sum, 0)]), 0);
};
for (const name of ["stun", "@msimerson/stun"]) {
  const stun = require(name);
  for (const padding of [0x00, 0x20]) {
    const decoded = stun.decode(request("a password of 22 bytes", padding));
    const integrity = stun.validateMessageIntegrity(decoded, "a password of 22 bytes");
    const hex = padding.toString(16).padStart(2, "0");
    console.log(`${name}, padding ${hex}: integrity ${integrity}, fingerprint ${stun.validateFingerprint(decoded)}`);
  }
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "stun, padding 00: integrity true, fingerprint true
stun, padding 20: integrity false, fingerprint false
@msimerson/stun, padding 00: integrity true, fingerprint true
@msimerson/stun, padding 20: integrity false, fingerprint false" ] || { echo "changed" >&2; exit 1; }
