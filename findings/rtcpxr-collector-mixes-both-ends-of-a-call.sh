#!/usr/bin/env bash
# rtcpxr-collector 0.1.7 (PyPI): of a report as in RFC 6035 the losses are the other end's and the delays one's own, and nobody took part.
#
# Guess: LocalMetrics and RemoteMetrics are kept apart, as each has lines of the same names behind it (RFC 6035, §4.6.1), and LocalID, RemoteID and OrigID
#   give name, host and port of any SIP URI.
# Seen: all lines are put side by side by their name: PacketLoss, JitterBuffer and what else the remote end reports stand over the local values, silently,
#   and LocalMetrics and RemoteMetrics are empty. A user is capital letters A to F and digits, a telephone's MAC address: alice is False, and
#   so is each host with a hyphen. Behind a single word stands one more key, the empty text.
# Source: rtcpxr_collector/sipparser.py, parsesip (res[esp[0]] = ...), parseSipAddr ([0-9A-F]+\@([A-Za-z0-9.]+)).
# Output seen: "local loss 5.0, remote loss 7.0: PacketLoss 7.0", "local delay 200: Delay 200", "LocalMetrics: ''", "LocalID: False", "CallID: ['6dg37f1890463', '']"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v rtcpxr-collector==0.1.7 || exit 2
cat >run.py <<'PY'
from rtcpxr_collector import sip, sipparser

REPORT = """VQSessionReport: CallTerm
CallID: 6dg37f1890463
LocalID: Alice <sip:alice@example.org>
RemoteID: Bill <sip:bill@example.net>
OrigID: Alice <sip:alice@example.org>
LocalAddr: IP=192.0.2.1 PORT=5000 SSRC=0x1a3b5c7d
RemoteAddr: IP=192.0.2.2 PORT=5002 SSRC=0x2468abcd
LocalGroup: office
RemoteGroup: home
LocalMetrics:
Timestamps: START=2026-01-02T10:00:00Z STOP=2026-01-02T10:05:00Z
PacketLoss: NLR=5.0 JDR=2.0
Delay: RTD=200 ESD=140
RemoteMetrics:
Timestamps: START=2026-01-02T10:00:00Z STOP=2026-01-02T10:05:00Z
PacketLoss: NLR=7.0 JDR=3.0
""".replace("\n", "\r\n")
HEAD = f"""PUBLISH sip:collector@example.org SIP/2.0
Via: SIP/2.0/UDP pc22.example.org;branch=z9hG4bK3343d7
To: <sip:collector@example.org>
From: Alice <sip:alice@example.org>;tag=a3343df32
Call-ID: 1890463548
CSeq: 4331 PUBLISH
Contact: <sip:alice@pc22.example.org>
User-Agent: example/1.0
Event: vq-rtcpxr
Content-Type: application/vq-rtcpxr
Content-Length: {len(REPORT)}

""".replace("\n", "\r\n")
report = sipparser.parsesip(sip.Request((HEAD + REPORT).encode()))
print("local loss 5.0, remote loss 7.0: PacketLoss", report["PacketLoss"]["NLR"])
print("local delay 200: Delay", report["Delay"]["RTD"])
print(f"LocalMetrics: {report['LocalMetrics']!r}")
print("LocalID:", report["LocalID"])
print("CallID:", sorted(report["CallID"], reverse=True))
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "local loss 5.0, remote loss 7.0: PacketLoss 7.0
local delay 200: Delay 200
LocalMetrics: ''
LocalID: False
CallID: ['6dg37f1890463', '']" ] || { echo "changed" >&2; exit 1; }
