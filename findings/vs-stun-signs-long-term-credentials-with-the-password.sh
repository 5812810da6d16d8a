#!/usr/bin/env bash
# vs-stun 0.0.7 (npm): a message with a realm, as for TURN, is signed with the password alone, as if it had none.
#
# Guess: with REALM in the message the key of MESSAGE-INTEGRITY is the MD5 digest of user:realm:password, without one it is the
#   password (RFC 8489 §9.1.1, §9.2.2; RFC 5389 §15.4). The package has code for both.
# Seen: it looks for the text of the realm where it never is, so that it is always empty: the HMAC is the one of the short-term
#   kind. A server with long-term credentials, as each TURN server, answers 401 to every request, and its own signed answer looks
#   forged.
# Who cares: 150,000 downloads a month; signed checks of ICE, which have no realm, are right.
# Source: lib/Attribute/messageIntegrity.js, encode: `realm && realm.obj`, while an attribute has `value.obj`.
# Output seen: "realm: key of the password", "no realm: key of the password"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund vs-stun@0.0.7 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const crypto = require("crypto");
const Packet = require("vs-stun/lib/Packet");
const [username, realm, password] = ["alice", "example.org", "secret"];
const keys = {
  "the password": Buffer.from(password),
  "user, realm and password": crypto.createHash("md5").update(`${username}:${realm}:${password}`).digest(),
};
for (const name of ["realm", "no realm"]) {
  const packet = new Packet({ username, password });
  packet.type = Packet.BINDING_REQUEST;
  packet.append.username(username);
  if (name === "realm") packet.append.realm(realm);
  packet.append.messageIntegrity();
  // The length in the header ends with the attribute itself, which is 24 octets long.
  const signed = packet.raw.subarray(0, packet.raw.length - 24);
  const digest = packet.raw.subarray(packet.raw.length - 20).toString("hex");
  const key = Object.keys(keys).find((key) => crypto.createHmac("sha1", keys[key]).update(signed).digest("hex") === digest);
  console.log(`${name}: key of ${key}`);
}
JS
seen=$(node --no-deprecation run.js)
echo "$seen"
[ "$seen" = "realm: key of the password
no realm: key of the password" ] || { echo "changed" >&2; exit 1; }
