#!/usr/bin/env bash
# nanosip 0.0.7 (PyPI): a REGISTER has two contacts, the second as asked and the first the address of record itself.
#
# Guess: Register(uri_from, uri_to, uri_via, credentials, uri_contact) binds uri_contact to the address, which is what the last argument is for.
# Seen: all requests get a Contact of uri_from from the common code, and Register adds its own behind it: the registrar binds both for 60 s (RFC
#   3261, §10.3), and a call to the address is forked to the telephone and to the address, which is where it came from: a loop, until
#   the registrar or Max-Forwards sees it. The contact of an INVITE is the address of record, too, so that requests within the call
#   go through its proxy instead of to the telephone.
# Source: nanosip/__init__.py, Transaction._generate_headers and Register.get_request.
# Output seen: "Contact: <sip:alice@example.com>", "Contact: <sip:alice@192.0.2.1:5060>"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v nanosip==0.0.7 || exit 2
cat >run.py <<'PY'
from nanosip import Register, SIPAuthCreds

register = Register("sip:alice@example.com", "sip:example.com", "192.0.2.1", SIPAuthCreds("alice", "secret"), "sip:alice@192.0.2.1:5060")
print(*(line for line in register.get_request().splitlines() if line.startswith("Contact")), sep="\n")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "Contact: <sip:alice@example.com>
Contact: <sip:alice@192.0.2.1:5060>" ] || { echo "changed" >&2; exit 1; }
