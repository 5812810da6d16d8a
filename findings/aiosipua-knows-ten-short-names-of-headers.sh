#!/usr/bin/env bash
# aiosipua 0.7.1 (PyPI): a transfer or a session timer whose header has its short name is not seen.
#
# Guess: a SIP stack that handles REFER, NOTIFY and session timers reads the short names of their headers too: r and o (RFC 3515, RFC 6665), b
#   (RFC 3892) and x (RFC 4028, which registers it for Session-Expires), as it reads v, f, t, i and m.
# Seen: only the ten names of RFC 3261 are expanded. "r: <sip:...>" is no Refer-To, so that the transfer is refused as one without a target; with
#   "x: 90" the call runs without a timer, and the peer, which expects a refresh, ends it. Both come from phones that keep messages
#   under the size of a datagram.
# Source: aiosipua/headers.py, COMPACT_HEADERS; refer.py asks for refer-to.
# Output seen: "long: timer 90;refresher=uas, target <sip:b@example.com>, Call-ID 1", "short: timer None, target None, Call-ID 1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v aiosipua==0.7.1 || exit 2
cat >run.py <<'PY'
from aiosipua.message import SipMessage

def show(form, via, origin, target, call, expires, refer):
    request = SipMessage.parse("\r\n".join((
        "REFER sip:a@192.0.2.1 SIP/2.0", f"{via}: SIP/2.0/UDP 192.0.2.2;branch=z9hG4bK1", f"{origin}: <sip:c@example.com>;tag=1",
        f"{target}: <sip:a@example.com>;tag=2", f"{call}: 1", "CSeq: 2 REFER", "Max-Forwards: 70",
        f"{expires}: 90;refresher=uas", f"{refer}: <sip:b@example.com>", "Content-Length: 0", "", "",
    )))
    read = request.get_header
    print(f"{form}: timer {read('Session-Expires')}, target {read('Refer-To')}, Call-ID {read('Call-ID')}")

show("long", "Via", "From", "To", "Call-ID", "Session-Expires", "Refer-To")
show("short", "v", "f", "t", "i", "x", "r")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "long: timer 90;refresher=uas, target <sip:b@example.com>, Call-ID 1
short: timer None, target None, Call-ID 1" ] || { echo "changed" >&2; exit 1; }
