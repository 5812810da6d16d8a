#!/usr/bin/env bash
# aiortsp 1.4.0 (PyPI): the RTP clock of stereo audio is 2 Hz, and that of a section is the one of its last format.
#
# Guess: of "rtpmap:96 opus/48000/2" the clock rate is 48000 (RFC 8866, §6.6: encoding/clock rate, then, for audio, the number of channels), and a
#   section's payload type is the first of its m= line, the one to prefer.
# Seen: the pattern takes what is behind the last slash for the clock and "opus/48000" for the encoding's name; a jitter or a delay in seconds is
#   24,000 times too long. Of several a=rtpmap one is kept, the last: for speech with telephone-event behind it media_payload_type and
#   media_clock_rate are those of the keys pressed. A repeat in r= is never read: its pattern has one group and two names.
# Source: aiortsp/rtsp/sdp.py, _parse_attributes (rtpmap: (\S+)/(\d+), attributes[attr] = content), _parse_repeats.
# Output seen: "opus/48000/2: clock 2", "L16/44100/2: clock 2", "G722/8000: clock 8000", "0 97 101: payload 101, clock 8000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v aiortsp==1.4.0 || exit 2
cat >run.py <<'PY'
from aiortsp.rtsp.sdp import SDP


def sdp(formats, *attributes):
    lines = ("v=0", "o=- 1 1 IN IP4 192.0.2.1", "s=-", "t=0 0", f"m=audio 0 RTP/AVP {formats}", *(f"a={line}" for line in attributes))
    return SDP("\r\n".join(lines) + "\r\n")


for name in ("opus/48000/2", "L16/44100/2", "G722/8000"):
    print(f"{name}: clock {sdp('96', f'rtpmap:96 {name}').media_clock_rate('audio')}")
speech = sdp("0 97 101", "rtpmap:0 PCMU/8000", "rtpmap:97 AMR-WB/16000", "rtpmap:101 telephone-event/8000")
print(f"0 97 101: payload {speech.media_payload_type('audio')}, clock {speech.media_clock_rate('audio')}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "opus/48000/2: clock 2
L16/44100/2: clock 2
G722/8000: clock 8000
0 97 101: payload 101, clock 8000" ] || { echo "changed" >&2; exit 1; }
