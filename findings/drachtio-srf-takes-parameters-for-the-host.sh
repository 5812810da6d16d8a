#!/usr/bin/env bash
# drachtio-srf 5.0.29 (npm): in sip:gateway;transport=sctp the host is "gateway;transport=sctp", and there are no parameters.
#
# Guess: a host name needs no point in it (RFC 3261 §25.1: hostname has any number of labels before its last): service names of a compose
#   file or of Kubernetes, and localhost, are parsed as example.com is, with their parameters and their port.
# Seen: a name without a point takes all that is not "@" or ":" behind it for its own: parameters and headers belong to the host, and
#   transport=sctp or lr are not seen by a program that asks for them. With a port the name ends there, and all is right, which is
#   how it hides. Written again, the text is the same. A port that is missing is NaN, which equals nothing, not even itself.
# Source: lib/sip-parser/parser.js, parseUri: the last alternative of the host, [^@:]*.
# Output seen: "example.com: transport sctp", "gateway: transport undefined", "gateway;transport=sctp", "5060: transport sctp", "NaN"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund drachtio-srf@5.0.29 >/dev/null || exit 2
cat >run.js <<'JS'
const { parseUri } = require("drachtio-srf/lib/sip-parser/parser.js");
for (const host of ["example.com", "gateway", "gateway:5060", "[2001:db8::1]"]) {
  const uri = parseUri(`sip:alice@${host};transport=sctp?subject=x`);
  console.log(`${host}: host ${uri.host}, port ${uri.port}, transport ${uri.params.transport}, headers ${Object.keys(uri.headers).length}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "example.com: host example.com, port NaN, transport sctp, headers 1
gateway: host gateway;transport=sctp?subject=x, port NaN, transport undefined, headers 0
gateway:5060: host gateway, port 5060, transport sctp, headers 1
[2001:db8::1]: host [2001:db8::1], port NaN, transport sctp, headers 1" ] || { echo "changed" >&2; exit 1; }
