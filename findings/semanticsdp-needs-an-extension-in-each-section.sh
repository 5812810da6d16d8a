#!/usr/bin/env bash
# semanticsdp 0.1.0b9 (PyPI): a description in which one section has no a=extmap is a KeyError, so that none with a data channel can be read.
#
# Guess: a=extmap is optional (RFC 8285, §5), and a data section over SCTP, which has no RTP, never has one; the package has a class DatachannelInfo.
# Seen: the sections are gone through with media["ext"], media["fmtp"] of each format: KeyError 'ext' for a data section in the form of RFC 8841
#   and for speech of any telephone. A parameter without "=", as the events of telephone-event are ("0-15", RFC 4733 §2.4.1), is a ValueError.
#   Were a data section read, one without a=max-message-size, which is 64 KiB then (RFC 8841, §6.1), would be the next KeyError.
# Source: semanticsdp/sdp_info.py, parse (for extmap in media["ext"]; k.split("=", 1); media["maxMessageSize"]).
# Output seen: "data section: KeyError('ext')", "speech: KeyError('ext')", "speech with extmap: 1 section", "and with events: ValueError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v semanticsdp==0.1.0b9 || exit 2
cat >run.py <<'PY'
from semanticsdp import SDPInfo

SESSION = ("v=0", "o=- 1 1 IN IP4 192.0.2.1", "s=-", "t=0 0", "a=group:BUNDLE 0", "a=fingerprint:sha-256 AA:BB", "a=setup:actpass")
DATA = ("m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 192.0.2.1", "a=mid:0", "a=sctp-port:5000", "a=max-message-size:262144")
SPEECH = ("m=audio 9 UDP/TLS/RTP/SAVPF 111 101", "c=IN IP4 192.0.2.1", "a=mid:0", "a=rtpmap:111 opus/48000/2", "a=fmtp:111 useinbandfec=1")
EXTENSION = ("a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level",)
EVENTS = ("a=rtpmap:101 telephone-event/8000", "a=fmtp:101 0-15")
for name, section in (("data section", DATA), ("speech", SPEECH), ("speech with extmap", SPEECH + EXTENSION),
                      ("and with events", SPEECH + EXTENSION + EVENTS)):
    try:
        print(f"{name}: {len(SDPInfo.parse(chr(10).join(SESSION + section) + chr(10)).medias)} section")
    except KeyError as error:
        print(f"{name}: {error!r}")
    except ValueError:
        print(f"{name}: ValueError")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "data section: KeyError('ext')
speech: KeyError('ext')
speech with extmap: 1 section
and with events: ValueError" ] || { echo "changed" >&2; exit 1; }
