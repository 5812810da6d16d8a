#!/usr/bin/env bash
# @msimerson/stun 3.2.1 (npm): of an IPv6 address that a STUN server reports only the first four bytes are right.
#
# Guess: `getXorAddress()` of a decoded response gives the address that the server saw. IPv6 addresses are combined with the
#   magic cookie and the transaction's number behind it (RFC 8489 §14.2). IPv4 is right, and stun 2.1.0, of which this is the
#   maintained fork, is right with both.
# Seen: the last twelve bytes come out as they were sent, still covered: a public address of the right network with a random
#   rest, a new one for each request. A client takes its network for a NAT that changes addresses, and nobody can
#   reach the candidate. What the library itself writes is right, so that only reading shows it.
# Source: src/message/decode.js makes the attributes before the message has its transaction's number;
#   src/attributes/stun-xor-address-attribute.js, xorIP.
# Output seen: "sent 2001:db8:1:2:3:4:5:6", "stun 2001:db8:1:2:3:4:5:6", "@msimerson/stun 2001:db8:b7e6:a703:bc37:d682:fa82:dfa8"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund stun@2.1.0 @msimerson/stun@3.2.1 >/dev/null || exit 2
cat >run.js <<'JS'
const address = [0x2001, 0xdb8, 1, 2, 3, 4, 5, 6];
const covered = Buffer.from("2112a442" + "b7e7a701bc34d686fa87dfae", "hex");
const value = Buffer.from("0002" + "0b59" + "00".repeat(16), "hex");
value.writeUInt16BE(40000 ^ 0x2112, 2);
address.forEach((part, place) => value.writeUInt16BE(part ^ covered.readUInt16BE(2 * place), 4 + 2 * place));
const response = Buffer.concat([Buffer.from("01010018", "hex"), covered, Buffer.from("00200014", "hex"), value]);
console.log("sent", address.map((part) => part.toString(16)).join(":"));
for (const name of ["stun", "@msimerson/stun"]) {
  console.log(name, require(name).decode(response).getXorAddress().address);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "sent 2001:db8:1:2:3:4:5:6
stun 2001:db8:1:2:3:4:5:6
@msimerson/stun 2001:db8:b7e6:a703:bc37:d682:fa82:dfa8" ] || { echo "changed" >&2; exit 1; }
