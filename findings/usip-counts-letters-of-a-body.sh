#!/usr/bin/env bash
# usip 1.0.0 (PyPI): Content-Length counts letters, not octets, and a caller without angle brackets loses scheme and port.
#
# Guess: Content-Length is the size of the body in octets (RFC 3261 §20.14), 7 for "Grüße"; From may have its address without brackets (§20.20), and
#   extract_from_uri gives the same address as with them.
# Seen: the length is 5: over TCP the last two octets of the text belong to the next message. "sip:alice@example.com:5070" in brackets is handed over whole, without them as
#   "alice@example.com". Header names in another case or in their short form, as f for From, are not found.
# Source: sip_client/sip/messages.py, create_message (len(body)), extract_from_uri (split(':')[1]), parse_headers.
# Output seen: "length: 5 of 7", "brackets: sip:alice@example.com:5070", "none: alice@example.com", "short form: None"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v usip==1.0.0 || exit 2
cat >load.py <<'PY'
import sys
import types

# the package's root asks for sound devices, so that its message module is loaded alone
for name in ("sip_client", "sip_client.sip", "sip_client.utils"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [f"v/{name.replace('.', '/')}"]
from sip_client.sip.messages import SIPMessageBuilder, SIPMessageParser  # noqa: E402
PY
cat >run.py <<'PY'
from load import SIPMessageBuilder, SIPMessageParser

BODY = "Grüße"
message = SIPMessageBuilder.create_message("MESSAGE", "sip:bob@example.com", {}, BODY)
print(f"length: {message.split('Content-Length: ')[1].split()[0]} of {len(BODY.encode())}")
for name, header in (("brackets", "From: <sip:alice@example.com:5070>;tag=1"), ("none", "From: sip:alice@example.com:5070;tag=1"),
                     ("short form", "f: <sip:alice@example.com:5070>;tag=1")):
    message = "\r\n".join(("INVITE sip:bob@example.com SIP/2.0", header, "", ""))
    print(f"{name}: {SIPMessageParser.extract_from_uri(message)}")
PY
seen=$(PYTHONPATH=v:. python3 run.py)
echo "$seen"
[ "$seen" = "length: 5 of 7
brackets: sip:alice@example.com:5070
none: alice@example.com
short form: None" ] || { echo "changed" >&2; exit 1; }
