#!/usr/bin/env bash
# jssip 3.13.8 and sip.js 0.21.2 (npm): a transport that is called TLS-SCTP is a syntax error, any unknown name is not.
#
# Guess: a Via names its transport by UDP, TCP, TLS, SCTP or any other token (RFC 3261 §25.1), and TLS-SCTP is registered (RFC 4168 §4);
#   the same holds for the transport parameter of a URI. A parser that reads SIP/2.0/FOO and SIP/2.0/DTLS-UDP reads it.
# Seen: the grammars are parsing expressions, in which the first alternative that fits is final: TLS fits the beginning, what should
#   follow is a blank, "-SCTP" is none, and the token is never tried. The header is refused, in jssip the whole message if it is the
#   topmost Via; a Record-Route or Contact with transport=tls-sctp has no value, so that no dialog is made. TCP-X and
#   UDP-X would go the same way. SCTP alone is read.
# Who cares: browsers behind a proxy that speaks TLS over SCTP with the core; the proxy puts its URI in Record-Route.
# Source: both projects' grammar of via_transport and transport_param ("TLS"i before token; lib/Grammar.js, lib/grammar/pegjs/dist).
# Output seen: "SCTP: jssip true true, sip.js true true", "FOO: jssip true true, sip.js true true",
#   "TLS-SCTP: jssip false false, sip.js false false" (Via and URI)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts jssip@3.13.8 sip.js@0.21.2
cat >run.mjs <<'JS'
import jssip from "jssip";
import Parser from "jssip/lib/Parser.js";
import { Grammar } from "sip.js";

const request = (transport) =>
  ["OPTIONS sip:bob@example.com SIP/2.0", `Via: SIP/2.0/${transport} proxy.example.com:5061;branch=z9hG4bK1`,
    "Max-Forwards: 70", "To: <sip:bob@example.com>", "From: <sip:alice@example.com>;tag=1", "Call-ID: 1",
    "CSeq: 1 OPTIONS", "Content-Length: 0", "", ""].join("\r\n");
for (const transport of ["SCTP", "FOO", "DTLS-UDP", "TLS-SCTP"]) {
  const uri = `sip:proxy.example.com;transport=${transport.toLowerCase()};lr`;
  const first = [Parser.parseMessage(request(transport), {}), jssip.NameAddrHeader.parse(`<${uri}>`)];
  const via = Grammar.parse(`SIP/2.0/${transport} proxy.example.com:5061;branch=z9hG4bK1`, "Via");
  const second = [via !== -1, Grammar.URIParse(uri)];
  console.log(`${transport}: jssip ${first.map(Boolean).join(" ")}, sip.js ${second.map(Boolean).join(" ")}`);
}
JS
seen=$(node run.mjs)
echo "$seen"
[ "$seen" = "SCTP: jssip true true, sip.js true true
FOO: jssip true true, sip.js true true
DTLS-UDP: jssip true true, sip.js true true
TLS-SCTP: jssip false false, sip.js false false" ] || { echo "changed" >&2; exit 1; }
