#!/usr/bin/env bash
# sipmessage 0.7.1 (PyPI): a contact's +sip.instance is written as %2Bsip.instance=%22%3Curn..., and IPv6 in maddr of Via without its colons.
#
# Guess: what Address.parse and Via.parse have read is written as it was. Parameters of headers are tokens, hosts or strings in quotes (RFC 3261, §25.1:
#   generic-param); percent-escapes are of URIs alone (§19.1.2), where "+" needs none, and RFC 5626, §4.1, has +sip.instance in each Contact.
# Seen: one class serves URIs and headers; it unescapes and escapes both. Quotes, spaces, "<", ":", "," and the "+" of the name become escapes, which no
#   receiver undoes: it sees no instance, and for one number registered by two phones no difference. maddr=[2001:db8::3] is no host any more; received with
#   IPv6 as §25.1 writes it, without brackets, is a ValueError.
# Source: sipmessage/parameters.py, Parameters.parse (unquote), __str__ (quote); address.py, via.py.
# Output seen: "<sip:bob@192.0.2.1>;%2Bsip.instance=%22%3Curn%3Auuid%3A0c67446e-f1a1-11d9-94d3-000a95a0e128%3E%22;reg-id=1", "<sip:bob@192.0.2.1>;methods=%22INVITE%2C%20BYE%22",
#   "SIP/2.0/UDP 192.0.2.1;maddr=%5B2001%3Adb8%3A%3A3%5D;branch=z9hG4bK1", "SIP/2.0/UDP 192.0.2.1;received=192.0.2.9;branch=z9hG4bK1", "received=2001:db8::9: ValueError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v sipmessage==0.7.1 || exit 2
cat >run.py <<'PY'
from sipmessage import Address, Via

CONTACT = "<sip:bob@192.0.2.1>"
VIA = "SIP/2.0/UDP 192.0.2.1"
for parameter in ('+sip.instance="<urn:uuid:0c67446e-f1a1-11d9-94d3-000a95a0e128>";reg-id=1', 'methods="INVITE, BYE"'):
    print(Address.parse(f"{CONTACT};{parameter}"))
for parameter in ("maddr=[2001:db8::3]", "received=192.0.2.9", "received=2001:db8::9"):
    try:
        print(Via.parse(f"{VIA};{parameter};branch=z9hG4bK1"))
    except ValueError as error:
        print(f"{parameter}: {type(error).__name__}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "<sip:bob@192.0.2.1>;%2Bsip.instance=%22%3Curn%3Auuid%3A0c67446e-f1a1-11d9-94d3-000a95a0e128%3E%22;reg-id=1
<sip:bob@192.0.2.1>;methods=%22INVITE%2C%20BYE%22
SIP/2.0/UDP 192.0.2.1;maddr=%5B2001%3Adb8%3A%3A3%5D;branch=z9hG4bK1
SIP/2.0/UDP 192.0.2.1;received=192.0.2.9;branch=z9hG4bK1
received=2001:db8::9: ValueError" ] || { echo "changed" >&2; exit 1; }
