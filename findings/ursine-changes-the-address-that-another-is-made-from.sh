#!/usr/bin/env bash
# ursine 0.3.1 (PyPI): with_transport("tcp") changes the address it is asked of, and addresses with and without transport=udp are equal, those with another case of the host not.
#
# Guess: with_transport gives a new URI, as with_user and with_port do, and the README calls the objects immutable. Two SIP addresses are equal whatever the case of
#   their host; one with transport=udp is not equal to one without a transport, an example of RFC 3261 §19.1.4.
# Seen: the copy shares the dictionary of parameters, so that both addresses end in transport=tcp: a registrar's stored contact follows the last try. As the default transport is
#   written into each address, "sip:bob@example.com" equals the one with transport=udp; "sip:a@EXAMPLE.com" and "sip:a@example.com" are two addresses, also as keys.
# Source: ursine/uri.py, __copy__ (parameters=self._parameters), with_transport, __init__, __eq__.
# Output seen: "first: sip:alice@example.com;transport=tcp", "transport=udp: True", "case of the host: False"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v ursine==0.3.1 multidict==7.2.1 || exit 2
cat >run.py <<'PY'
from ursine import URI

first = URI("sip:alice@example.com")
first.with_transport("tcp")
print(f"first: {first}")
print(f"transport=udp: {URI('sip:bob@example.com') == URI('sip:bob@example.com;transport=udp')}")
print(f"case of the host: {URI('sip:a@EXAMPLE.com') == URI('sip:a@example.com')}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "first: sip:alice@example.com;transport=tcp
transport=udp: True
case of the host: False" ] || { echo "changed" >&2; exit 1; }
