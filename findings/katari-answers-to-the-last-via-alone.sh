#!/usr/bin/env bash
# Katari 0.0.9 (PyPI): a SIP response has the last Via of its request alone, no Record-Route, and the length of the request's body.
#
# Guess: create_response copies all Via values in their order (RFC 3261, §8.2.6.2), Record-Route where a dialogue begins (§12.1.1), and says that the
#   response has no body.
# Seen: the fields of a message are put into a dictionary, so that of two Via lines the last stays, which is the caller's own: the response skips the
#   proxy in between or is thrown away by it. Record-Route is not copied, so that the ACK and BYE go around the proxy. Content-Length is the
#   request's, 27, with nothing behind it: over a stream the next message is eaten. Lines of SDP are fields, too: there is a header "rtpmap".
# Source: Katari/sip/utils/__init__.py, Message._parser (dict(reg.findall(message))); Katari/sip/__init__.py, create_response, export.
# Output seen: "Via of the request: 2", "of the response: 192.0.2.8", "Record-Route: 0", "Content-Length: 27, body: 0", "rtpmap: 96 opus/48000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v Katari==0.0.9 || exit 2
cat >run.py <<'PY'
from Katari.sip import SipMessage
from Katari.sip.response import OK200

BODY = "v=0\r\na=rtpmap:96 opus/48000"
INVITE = f"""INVITE sip:bob@example.com SIP/2.0
Via: SIP/2.0/UDP 192.0.2.9:5060;branch=z9hG4bKa
Via: SIP/2.0/UDP 192.0.2.8:5060;branch=z9hG4bKb
Record-Route: <sip:192.0.2.9;lr>
From: <sip:alice@example.com>;tag=1
To: <sip:bob@example.com>
Call-ID: 1
CSeq: 1 INVITE
Contact: <sip:alice@192.0.2.8>
Content-Length: {len(BODY)}

""".replace("\n", "\r\n") + BODY
request = SipMessage(INVITE.encode())
head, _, body = request.create_response(OK200()).export().partition("\r\n\r\n")
fields = [line.split(":", 1) for line in head.split("\r\n")[1:]]
values = {name.lower(): value.split(";")[0].split()[-1] for name, value in fields}
print("Via of the request:", INVITE.count("Via:"))
print("of the response:", *(value.split(":")[0].split()[-1] for name, value in fields if name == "Via"))
print("Record-Route:", sum(name.lower() == "record-route" for name, _ in fields))
print(f"Content-Length: {values['content-length']}, body: {len(body.strip())}")
print("rtpmap:", request["rtpmap"].strip())
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "Via of the request: 2
of the response: 192.0.2.8
Record-Route: 0
Content-Length: 27, body: 0
rtpmap: 96 opus/48000" ] || { echo "changed" >&2; exit 1; }
