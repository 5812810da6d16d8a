#!/usr/bin/env bash
# sip 0.0.6 and drachtio-sip 0.6.3 (npm): a Via with an IPv6 address loses half of the address, the port and all parameters.
#
# Guess: "Via: SIP/2.0/SCTP [2001:db8::1]:5060;branch=z9hG4bK1" is read as a host, a port and a branch, as with an address of IPv4
#   (RFC 3261 §25.1, IPv6reference; RFC 5118 §4 has such messages); else it is an error, as the same host in a URI is.
# Seen: the host ends at the first colon, "[2001", what follows is no port and no parameter, and is dropped without an error. A message
#   that is read and written goes out with "Via: SIP/2.0/SCTP [2001"; the branch, by which transactions are told apart
#   (§17.1.3), is gone from requests and answers alike, so that answers find no transaction.
# Who cares: tests and proxies on hosts with two families, as SIP over SCTP has them by multi-homing.
# Source: sip/sip.js, parseVia ([^\s;:]+); the other package has the same line.
# Output seen: "192.0.2.1: 192.0.2.1 5060 z9hG4bK1", "[2001:db8::1]: [2001 undefined undefined" for both packages
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts sip@0.0.6 drachtio-sip@0.6.3
cat >run.js <<'JS'
const sip = require("sip");
const { SipMessage } = require("drachtio-sip");
for (const host of ["192.0.2.1", "[2001:db8::1]"]) {
  const text = [`OPTIONS sip:${host}:5060 SIP/2.0`, `Via: SIP/2.0/SCTP ${host}:5060;branch=z9hG4bK1`,
    "Max-Forwards: 70", "To: <sip:bob@example.com>", "From: <sip:alice@example.com>;tag=1", "Call-ID: 1",
    "CSeq: 1 OPTIONS", "Content-Length: 0", "", ""].join("\r\n");
  const read = sip.parse(text);
  for (const via of [read.headers.via[0], new SipMessage(text).getParsedHeader("via")[0]]) {
    console.log(`${host}: ${via.host} ${via.port} ${via.params.branch}`);
  }
  console.log(`  ${sip.stringify(read).split("\r\n")[1]}`);
}
console.log(`URI: ${sip.parseUri("sip:[2001:db8::1]:5060")}`);
JS
seen=$(node --no-deprecation run.js)
echo "$seen"
[ "$seen" = "192.0.2.1: 192.0.2.1 5060 z9hG4bK1
192.0.2.1: 192.0.2.1 5060 z9hG4bK1
  Via: SIP/2.0/SCTP 192.0.2.1:5060;branch=z9hG4bK1
[2001:db8::1]: [2001 undefined undefined
[2001:db8::1]: [2001 undefined undefined
  Via: SIP/2.0/SCTP [2001
URI: undefined" ] || { echo "changed" >&2; exit 1; }
