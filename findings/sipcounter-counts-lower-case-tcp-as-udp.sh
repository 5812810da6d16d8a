#!/usr/bin/env bash
# sipcounter 0.0.3 (PyPI): messages with header names in lower case are counted under UDP, whatever their transport, and are left out by a filter.
#
# Guess: header names are case-insensitive (RFC 3261 §7.3.1), so that "via: SIP/2.0/TCP" and "cseq: 1 INVITE" are read as "Via" and "CSeq" are; the
#   package knows the short forms too ("v").
# Seen: names are searched as they are written in the code. Without a Via the transport is "UDP", and without a CSeq the method is UNKNOWN: a
#   counter for INVITEs passes over an INVITE and its answers, and links of TCP and TLS show up as UDP, with half of
#   a dialog each if the two ends write differently. The blanks that the RFC allows around the slashes (§25.1, "SIP / 2.0 / TCP") hide the transport too.
# Source: sipcounter.py, SIPMessage.header, protocol ("/2.0/") and method.
# Output seen: "Via: TCP, filter 1", "via: UDP, filter 0", "VIA: UDP, filter 0", "SIP / 2.0 / TCP: UDP, filter 1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v sipcounter==0.0.3 || exit 2
cat >run.py <<'PY'
from sipcounter import SIPCounter

def show(name, write, protocol="SIP/2.0/TCP"):
    headers = [("Via", f"{protocol} 192.0.2.1;branch=z9hG4bK1"), ("Max-Forwards", "70"), ("From", "<sip:alice@192.0.2.1>;tag=1"),
               ("To", "<sip:bob@192.0.2.2>"), ("Call-ID", "1"), ("CSeq", "1 INVITE"), ("Content-Length", "0")]
    message = "\r\n".join(["INVITE sip:bob@192.0.2.2 SIP/2.0"] + [f"{write(key)}: {value}" for key, value in headers] + ["", ""])
    ends = dict(msgdir="IN", srcip="192.0.2.1", srcport=1024, dstip="192.0.2.2", dstport=5060)
    counter, invites = SIPCounter(), SIPCounter(sip_filter=["INVITE"])
    counter.add(message, **ends)
    [link] = counter.links()
    print(f"{name}: {link[2]}, filter {invites.add(message, **ends)}")

show("Via", str)
show("via", str.lower)
show("VIA", str.upper)
show("SIP / 2.0 / TCP", str, "SIP / 2.0 / TCP")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "Via: TCP, filter 1
via: UDP, filter 0
VIA: UDP, filter 0
SIP / 2.0 / TCP: UDP, filter 1" ] || { echo "changed" >&2; exit 1; }
