#!/usr/bin/env bash
# vs-stun 0.0.7 (npm): one attribute that it does not know, as browsers send it, is a TypeError, and "::1" is no address.
#
# Guess: attributes from 0x8000 on that a reader does not know are passed over (RFC 8489 §5, §14); the package has a type for
#   unknown attributes whose value is hexadecimal. Browsers put 0xc057, the cost of the network, into their checks.
# Seen: Packet.parse looks for the decoder of an unknown attribute in the table of known ones: "Cannot read properties of
#   undefined". It is thrown, not returned as other faults are, so that a socket's handler ends there. Without that attribute the
#   message is read. An IPv6 address is taken in its longest form only; "::1" throws, too.
# Who cares: servers and tests for browsers, all of whose checks are like that, and for servers with attributes of newer RFCs.
# Source: lib/Attribute.js, Attribute.parse: `ATTRIBUTE[name].decode`; lib/util.js, parse.host.
# Output seen: "request: priority 1", "with 0xc057: TypeError", "0000:...:0001: written", "::1: TypeError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund vs-stun@0.0.7 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const Packet = require("vs-stun/lib/Packet");
const show = (name, act) => {
  try {
    const result = act();
    console.log(`${name}: ${result instanceof Error ? result.message : result}`);
  } catch (error) {
    console.log(`${name}: ${error.name}`);
  }
};
const message = (attributes) => {
  const body = Buffer.from(attributes, "hex");
  const head = Buffer.from("000100002112a442000102030405060708090a0b", "hex");
  head.writeUInt16BE(body.length, 2);
  return Buffer.concat([head, body]);
};
show("request", () => `priority ${Packet.parse(message("0024000400000001")).attribute.priority}`);
show("with 0xc057", () => `priority ${Packet.parse(message("0024000400000001" + "c057000400000032")).attribute.priority}`);
for (const host of ["0000:0000:0000:0000:0000:0000:0000:0001", "::1"]) {
  show(host, () => new Packet().append.xorMappedAddress({ host, port: 3478, family: "IPv6" }) || "written");
}
JS
seen=$(node --no-deprecation run.js)
echo "$seen"
[ "$seen" = "request: priority 1
with 0xc057: TypeError
0000:0000:0000:0000:0000:0000:0000:0001: written
::1: TypeError" ] || { echo "changed" >&2; exit 1; }
