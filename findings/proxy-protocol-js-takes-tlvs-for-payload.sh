#!/usr/bin/env bash
# proxy-protocol-js 4.0.6 (npm): extensions of a PROXY header, version 2, come out in front of the stream's first bytes.
#
# Guess: the header's length covers addresses and extensions (PROXY protocol §2.2: what is left behind the addresses is
#   TLVs, which a receiver that does not know them skips), so that `data` of the parsed header is what the client sent.
# Seen: `data` is all behind the addresses. A balancer that adds extensions (a CRC-32C, a unique ID, the TLS version, as most
#   can and some always do) makes the application read "03 00 04 ..." where its protocol begins: a Diameter or HTTP
#   server answers with an error. Without extensions it is right.
# Source: the parsing constructor V2ProxyProtocol.parse; PROXY protocol §2.2.1 (PP2_TYPE_CRC32C is 3).
# Output seen: "no extension: hello", "CRC-32C: 03 00 04 de ad be ef hello"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund proxy-protocol-js@4.0.6 >/dev/null || exit 2
cat >run.js <<'JS'
const { V2ProxyProtocol } = require("proxy-protocol-js");
const addresses = Buffer.from([192, 0, 2, 1, 192, 0, 2, 2, 0x13, 0x88, 0x0f, 0x1c]);
const read = (name, extension) => {
  const rest = Buffer.concat([addresses, extension]);
  const head = Buffer.concat([Buffer.from("0d0a0d0a000d0a515549540a2111", "hex"), Buffer.from([0, rest.length])]);
  const data = V2ProxyProtocol.parse(Buffer.concat([head, rest, Buffer.from("hello")])).data;
  const more = data.subarray(0, data.length - 5).toString("hex").replace(/../g, "$& ");
  console.log(`${name}: ${more}${data.subarray(data.length - 5)}`);
};
read("no extension", Buffer.alloc(0));
read("CRC-32C", Buffer.from("030004deadbeef", "hex"));
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "no extension: hello
CRC-32C: 03 00 04 de ad be ef hello" ] || { echo "changed" >&2; exit 1; }
