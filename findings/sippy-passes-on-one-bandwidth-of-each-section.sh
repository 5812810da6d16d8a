#!/usr/bin/env bash
# sippy 2.5.0 (PyPI): of several b= lines of a description a back-to-back agent passes on the last, and "49170/2" is no port.
#
# Guess: a section may have any number of b= lines, one of each type (RFC 8866, §5.8 and §9: *bandwidth-field), and RTCP has two types of its own (RFC 3556,
#   §2: RS and RR); a port may have a number of ports behind it (§5.14). Whoever forwards a description keeps them, as it does all a= lines.
# Seen: each letter but "a" has room for one line, and the next one takes it: of AS, TIAS, RS and RR the other side gets RR alone, and as that is no limit of
#   the media it may send what it likes. A port with a slash is a ValueError for the whole description.
# Source: sippy/SdpBody.py, __init__; SdpMediaDescription.py, addHeader (setattr of one b_header); SdpMedia.py, __init__ (int).
# Output seen: "session: b=AS:192", "audio: b=RR:2000", "attributes: 2", "49170: ok", "49170/2: ValueError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v sippy==2.5.0 || exit 2
cat >run.py <<'PY'
from sippy.SdpBody import SdpBody

HEAD = ("v=0", "o=- 1 1 IN IP4 192.0.2.1", "s=-", "c=IN IP4 192.0.2.1", "b=CT:256", "b=AS:192", "t=0 0")
AUDIO = ("b=AS:64", "b=TIAS:64000", "b=RS:500", "b=RR:2000", "a=rtpmap:0 PCMU/8000", "a=ptime:20")


def text(port):
    return "\r\n".join((*HEAD, f"m=audio {port} RTP/AVP 0", *AUDIO, "m=video 49180 RTP/AVP 31", ""))


session, audio, _ = str(SdpBody(text("49170"))).split("m=")
for name, part in (("session", session), ("audio", audio)):
    print(f"{name}:", *(line for line in part.splitlines() if line.startswith("b=")))
print("attributes:", audio.count("\na="))
for port in ("49170", "49170/2"):
    try:
        SdpBody(text(port))
        print(f"{port}: ok")
    except ValueError as error:
        print(f"{port}: {type(error).__name__}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "session: b=AS:192
audio: b=RR:2000
attributes: 2
49170: ok
49170/2: ValueError" ] || { echo "changed" >&2; exit 1; }
