#!/usr/bin/env bash
# drachtio-srf 5.0.29 (npm): of a body in parts, as SIP-I has it, the last keeps the closing delimiter, and each ends at its first blank line.
#
# Guess: multipart/mixed (RFC 2046 §5.1), in which SIP-I sends SDP and ISUP together, gives one entry for each part with its type and its
#   whole content; delimiters belong to none, and the boundary may stand anywhere among the parameters of Content-Type.
# Seen: the last part's content ends in "--xyz--", so that an ISUP message has octets behind its end. A part is split at blank lines and its second
#   piece is the content: a text of two paragraphs loses the second, and octets 0d 0a 0d 0a inside ISUP end it. With a parameter behind
#   the boundary there is one part, with the type of the first and the others in its content. A preamble is a part without type.
# Source: lib/sip-parser/parser.js, parseMessage: split('--' + boundary + '\\r\\n'), stanzas[1], and /boundary="?(.*?)"?$/.
# Output seen: 'plain: application/sdp "v=0", application/isup "ABC--xyz--"', 'paragraphs: text/plain "one"', 'parameter: 1 part'
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund drachtio-srf@5.0.29 >/dev/null || exit 2
cat >run.js <<'JS'
const SipMessage = require("drachtio-srf/lib/sip-parser/message.js");
const read = (type, lines) => {
  const body = lines.join("\r\n");
  const head = ["INVITE sip:bob@example.com SIP/2.0", "Call-ID: 1", "CSeq: 1 INVITE", `Content-Type: ${type}`, `Content-Length: ${body.length}`];
  return new SipMessage(`${head.join("\r\n")}\r\n\r\n${body}`).payload;
};
const show = (name, parts) =>
  console.log(`${name}: ${parts.map(({ type, content }) => `${type} ${JSON.stringify(content && content.replaceAll("\r\n", ""))}`).join(", ")}`);
const parts = ["--xyz", "Content-Type: application/sdp", "", "v=0", "--xyz", "Content-Type: application/isup", "", "ABC", "--xyz--", ""];
show("plain", read("multipart/mixed;boundary=xyz", parts));
show("paragraphs", read("multipart/mixed;boundary=xyz", ["--xyz", "Content-Type: text/plain", "", "one", "", "two", "--xyz--", ""]));
console.log(`parameter: ${read("multipart/mixed;boundary=xyz;version=1", parts).length} part`);
show("preamble", read("multipart/mixed;boundary=xyz", ["", ...parts]).slice(0, 1));
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'plain: application/sdp "v=0", application/isup "ABC--xyz--"
paragraphs: text/plain "one"
parameter: 1 part
preamble: null undefined' ] || { echo "changed" >&2; exit 1; }
