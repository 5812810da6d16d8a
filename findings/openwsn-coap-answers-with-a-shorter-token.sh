#!/usr/bin/env bash
# openwsn-coap 0.0.8 (PyPI): a request with the token 0007 is answered with 07, and one with 0000 with 00.
#
# Guess: a token is a sequence of octets that the server returns unchanged (RFC 7252 §5.3.1); what parseMessage hands over as token is what buildMessage takes, so that the
#   answer has the token of the request.
# Seen: the token is an integer. Zeros at its beginning are lost, and the answer has TKL 1 instead of 2: the client knows no such request and waits on. Each 256th random token
#   begins with a zero, so that a test sees it seldom.
# Source: coap/coapMessage.py, parseMessage (u.buf2int) and buildMessage (TKL from the size of the number).
# Output seen: "request: 4201000a0007, token 7", "answer: 6145000a07", "token 0000: 6145000a00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v openwsn-coap==0.0.8 cbor==1.0.0 hkdf==0.0.3 pycryptodome==4.4.0 PyDispatcher==2.0.7 || exit 2
cat >run.py <<'PY'
from coap import coapDefines, coapMessage


def answer(request):
    message = coapMessage.parseMessage(bytes.fromhex(request))
    return message["token"], coapMessage.buildMessage(
        coapDefines.TYPE_ACK, message["token"], coapDefines.COAP_RC_2_05_CONTENT, message["messageId"]).hex()


token, octets = answer("4201000a0007")
print(f"request: 4201000a0007, token {token}")
print(f"answer: {octets}")
print(f"token 0000: {answer('4201000a0000')[1]}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "request: 4201000a0007, token 7
answer: 6145000a07
token 0000: 6145000a00" ] || { echo "changed" >&2; exit 1; }
