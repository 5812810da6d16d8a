#!/usr/bin/env bash
# sipcounter 0.0.3 (PyPI): a first INVITE to a host such as vantage.example is counted as a ReINVITE, since its name has the letters "tag" in it.
#
# Guess: a ReINVITE is an INVITE within a dialog, whose To has the parameter tag (RFC 3261 §12.2.1.1): ";tag=..." behind the address. The package's
#   own comment says the same.
# Seen: the three letters are looked for anywhere in the value: in the display name, the user, the host. If To has none, the short form is tried,
#   and "t:" is found at the end of "Contact:" or "User-Agent:", whatever comes first: a caller at heritage.example, or a "Stagecoach" phone, makes
#   ReINVITEs only. The number of calls, which is that of INVITEs, is too low by all of them.
# Source: sipcounter.py, SIPMessage.header_param (hdr.find(param)), header and is_indialog_request.
# Output seen: "example.com: INVITE", "with a tag: ReINVITE", "vantage.example: ReINVITE", "contact at heritage.example: ReINVITE"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v sipcounter==0.0.3 || exit 2
cat >run.py <<'PY'
from sipcounter import SIPCounter

def show(name, to, contact="<sip:alice@192.0.2.1>"):
    counter = SIPCounter()
    counter.add("\r\n".join([
        "INVITE sip:bob@192.0.2.2 SIP/2.0", "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1", "Max-Forwards: 70",
        "From: <sip:alice@192.0.2.1>;tag=1", f"To: {to}", "Call-ID: 1", "CSeq: 1 INVITE", f"Contact: {contact}", "Content-Length: 0", "", ""]),
        msgdir="IN", srcip="192.0.2.1", srcport=5060, dstip="192.0.2.2", dstport=5060)
    print(f"{name}: {' '.join(counter.msgtypes())}")

show("example.com", "<sip:bob@example.com>")
show("with a tag", "<sip:bob@example.com>;tag=2")
show("vantage.example", "<sip:bob@vantage.example>")
show("contact at heritage.example", "<sip:bob@example.com>", "<sip:alice@heritage.example>")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "example.com: INVITE
with a tag: ReINVITE
vantage.example: ReINVITE
contact at heritage.example: ReINVITE" ] || { echo "changed" >&2; exit 1; }
