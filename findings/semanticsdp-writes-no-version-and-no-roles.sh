#!/usr/bin/env bash
# semanticsdp 0.1.0b9 (PyPI): each description that it writes lacks v=0, whoever is active or passive is actpass, and speech has 8000 Hz.
#
# Guess: what it writes is a description by RFC 8866, which begins with v=0; a=setup and a=rtpmap come back as they were read.
# Seen: the writer leaves out what is 0 or empty, and the version is the number 0. The role is looked for within the fingerprint, where it
#   never is: a=setup:active and passive are read as actpass, so that an answer that is passed on is one that RFC 8842 (§5.3) forbids, and
#   nobody begins the handshake of DTLS. Each format of sound but Opus is written with 8000 Hz: L16 of 44,100 Hz and the telephone events
#   of Opus, whose clock is 48,000 (RFC 4733, §2.1), run at another speed.
# Source: semanticsdp/transform (SDPWriter.write: if sdp_dict.get(...)), semanticsdp/sdp_info.py, parse (fp.get("setup", "actpass")), __str__.
# Output seen: "first line: o=", "a=rtpmap:111 opus/48000/2", "a=rtpmap:97 L16/8000", "a=rtpmap:98 telephone-event/8000", "a=setup:actpass"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v semanticsdp==0.1.0b9 || exit 2
cat >run.py <<'PY'
from semanticsdp import SDPInfo

ANSWER = """v=0
o=- 1 1 IN IP4 192.0.2.1
s=-
t=0 0
m=audio 9 UDP/TLS/RTP/SAVPF 111 97 98
c=IN IP4 192.0.2.1
a=mid:0
a=ice-ufrag:abcd
a=ice-pwd:0123456789012345678901
a=fingerprint:sha-256 AA:BB
a=setup:active
a=rtpmap:111 opus/48000/2
a=rtpmap:97 L16/44100/2
a=rtpmap:98 telephone-event/48000
a=fmtp:111 useinbandfec=1
a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
"""
lines = str(SDPInfo.parse(ANSWER.replace("\n", "\r\n"))).splitlines()
print("first line:", lines[0][:2])
print(*(line for line in lines if line.startswith(("a=rtpmap", "a=setup"))), sep="\n")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "first line: o=
a=rtpmap:111 opus/48000/2
a=rtpmap:97 L16/8000
a=rtpmap:98 telephone-event/8000
a=setup:actpass" ] || { echo "changed" >&2; exit 1; }
