#!/usr/bin/env bash
# jssip 3.13.8 and sip.js 0.21.2 (npm): the transport TLS-SCTP is a syntax error, though any token is a transport.
#
# Guess: a Via with SIP/2.0/TLS-SCTP (RFC 4168 §5) is parsed like one with SCTP, and `;transport=tls-sctp` like other tokens:
#   both grammars list UDP, TCP, SCTP, TLS and then "other transport", as RFC 3261 §25.1 does.
# Seen: the choice is ordered and is not taken back: the first three letters match TLS, then "-SCTP" is no end of the element,
#   and the whole header or URI is refused. So is each token that begins with a listed one. A browser behind a
#   proxy that reached another by TLS over SCTP receives a response or an INVITE with such a Via below its own, which is
#   no header for it; a Contact of that kind is undefined.
# Source: "transport" in the PEG grammars of both, which share an origin (sip.js lib/grammar/pegjs/dist/grammar.js, jssip
#   lib/Grammar.js).
# Output seen: "SCTP: jssip SCTP, sip.js SCTP", "TLS-SCTP: jssip refuses, sip.js refuses", "XTLS: jssip XTLS, sip.js XTLS"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund jssip@3.13.8 sip.js@0.21.2 >/dev/null || exit 2
cat >run.js <<'JS'
const { Grammar, URI } = require("jssip");
const sip = require("sip.js");

const shown = (read) => {
  try {
    return read() || "refuses";
  } catch {
    return "refuses";
  }
};
for (const transport of ["SCTP", "TLS-SCTP", "XTLS"]) {
  const via = `SIP/2.0/${transport} proxy.example:5061;branch=z9hG4bK1`;
  const uri = `sip:user@host.example;transport=${transport}`;
  console.log(`${transport}: jssip ${shown(() => Grammar.parse(via, "Via").transport)},`,
    `sip.js ${shown(() => sip.Grammar.parse(via, "Via").transport)}`);
  console.log(`  in a URI: jssip ${shown(() => URI.parse(uri).getParam("transport"))},`,
    `sip.js ${shown(() => sip.Grammar.URIParse(uri).getParam("transport"))}`);
}
JS
seen=$(node run.js) || exit 2
echo "$seen"
[ "$seen" = "SCTP: jssip SCTP, sip.js SCTP
  in a URI: jssip sctp, sip.js sctp
TLS-SCTP: jssip refuses, sip.js refuses
  in a URI: jssip refuses, sip.js refuses
XTLS: jssip XTLS, sip.js XTLS
  in a URI: jssip xtls, sip.js xtls" ] || { echo "changed" >&2; exit 1; }
