#!/usr/bin/env bash
# aiortp 0.8.0 (PyPI): the transmission offset of an RTP packet is written with two of its three bytes, which its own reader refuses.
#
# Guess: the extension for the offset has a signed number of 24 bits (RFC 5450 §2), and what HeaderExtensionsMap writes it reads again; the
#   absolute send time beside it, of 24 bits too, does so.
# Seen: the upper two bytes are sent, so that 90000 (one second) is 351 units and any offset below 256 is 0 or -1; a reader that takes the
#   bytes as they come has a 256th of it. Its own reader, which is right, ends in struct.error for each packet with the extension,
#   so that two endpoints of the package cannot talk once both agreed on it.
# Source: aiortp/packet.py, HeaderExtensionsMap.set: [0:2] of "!l", shifted by eight.
# Output seen: "offset 90000: 31015f00, read struct.error, expected 32015f90", "send time 90000: 22015f90, read 90000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v aiortp==0.8.0 || exit 2
cat >run.py <<'PY'
import struct
from aiortp.packet import HeaderExtensions, HeaderExtensionsMap

extensions = HeaderExtensionsMap()
extensions.configure([
    (2, "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"),
    (3, "urn:ietf:params:rtp-hdrext:toffset"),
])
for name, field, expected in (("offset", "transmission_offset", ", expected 32015f90"), ("send time", "abs_send_time", "")):
    profile, octets = extensions.set(HeaderExtensions(**{field: 90_000}))
    try:
        read = getattr(extensions.get(profile, octets), field)
    except struct.error:
        read = "struct.error"
    print(f"{name} 90000: {octets.hex()}, read {read}{expected}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "offset 90000: 31015f00, read struct.error, expected 32015f90
send time 90000: 22015f90, read 90000" ] || { echo "changed" >&2; exit 1; }
