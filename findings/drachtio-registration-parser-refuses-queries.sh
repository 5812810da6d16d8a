#!/usr/bin/env bash
# drachtio-mw-registration-parser 0.1.2 (npm): a REGISTER that asks for bindings or leaves the time to the registrar is answered with 400.
#
# Guess: a REGISTER without Contact asks what is registered and gets the list (RFC 3261, §10.2.3); one without an expiry gets what the registrar chooses
#   (§10.2.1.1, §10.3), as hardware telephones send it; and of two contacts of which one goes the other stays.
# Seen: both get 400 before the application sees them. Only the first contact counts: an old address with expires=0 in front of a new one makes
#   the request an "unregister", and the telephone is off although it asked for 3600 s.
# Source: app.js (if (!req.has('Contact')) 400; contact[0].params.expires; else return res.send(400)).
# Output seen: "query: 400", "no expiry: 400", "Expires: register 3600", "old and new: unregister 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund drachtio-mw-registration-parser@0.1.2 drachtio-srf@5.0.29 >/dev/null || exit 2
cat >run.js <<'JS'
const parser = require("drachtio-mw-registration-parser");
const SipMessage = require("drachtio-srf/lib/sip-parser/message");
const register = (name, ...fields) => {
  const message = new SipMessage(["REGISTER sip:example.com SIP/2.0", "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKa",
    "From: <sip:alice@example.com>;tag=1", "To: <sip:alice@example.com>", "Call-ID: 1", "CSeq: 1 REGISTER", ...fields, "", ""].join("\r\n"));
  const response = { send: (status) => console.log(`${name}: ${status}`) };
  parser(message, response, () => console.log(`${name}: ${message.registration.type} ${message.registration.expires}`));
};
register("query");
register("no expiry", "Contact: <sip:alice@192.0.2.1>");
register("Expires", "Contact: <sip:alice@192.0.2.1>", "Expires: 3600");
register("old and new", "Contact: <sip:alice@192.0.2.1>;expires=0", "Contact: <sip:alice@192.0.2.2>;expires=3600");
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "query: 400
no expiry: 400
Expires: register 3600
old and new: unregister 0" ] || { echo "changed" >&2; exit 1; }
