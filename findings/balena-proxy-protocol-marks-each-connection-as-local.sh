#!/usr/bin/env bash
# @balena/proxy-protocol-parser 1.0.2 (npm): a header of PROXY protocol version 2 that it writes says "local", and is 3072 bytes long.
#
# Guess: v2_encode of a connection from 192.0.2.1:40000 to 192.0.2.2:2905 writes 21 (version 2, command PROXY), 11 (TCP over IPv4) and the
#   length 000c, twelve bytes of addresses, so that any receiver sees 192.0.2.1.
# Seen: the command is 20, LOCAL, a connection of the proxy itself (a check of health), whose addresses a receiver must leave aside, so that
#   each client seems to be the proxy. And the length is written into its first byte alone: 0c00, 3072, for IPv6 2400, 9216. A
#   receiver waits for 3060 bytes more and takes them, the first data of the client, for TLVs. Only the package's own
#   decoder, which looks at neither, reads what was meant.
# Source: lib/v2_encode.js (buf[fields.len], V2_PROXY 0x20 of lib/v2_common.js); PROXY protocol specification, section 2.2.
# Output seen: "IPv4: command 20, length 3072 of 12", "IPv6: command 20, length 9216 of 36", "itself: 192.0.2.1 40000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @balena/proxy-protocol-parser@1.0.2 >/dev/null || exit 2
cat >run.js <<'JS'
const { v2_encode, v2_decode } = require("@balena/proxy-protocol-parser");
for (const [remoteFamily, remoteAddress, localAddress] of [
  ["IPv4", "192.0.2.1", "192.0.2.2"],
  ["IPv6", "2001:db8::1", "2001:db8::2"],
]) {
  const header = v2_encode({ protocol: "tcp", remoteFamily, remoteAddress, localAddress, remotePort: 40000, localPort: 2905 });
  console.log(`${remoteFamily}: command ${header[12].toString(16)}, length ${header.readUInt16BE(14)} of ${header.length - 16}`);
  if (remoteFamily === "IPv4") var first = v2_decode(header, true);
}
console.log(`itself: ${first.remoteAddress} ${first.remotePort}`);
JS
seen=$(node run.js 2>/dev/null)
echo "$seen"
[ "$seen" = "IPv4: command 20, length 3072 of 12
IPv6: command 20, length 9216 of 36
itself: 192.0.2.1 40000" ] || { echo "changed" >&2; exit 1; }
