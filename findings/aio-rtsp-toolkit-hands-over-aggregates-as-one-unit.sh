#!/usr/bin/env bash
# aio-rtsp-toolkit 0.1.4 (PyPI): parameter sets that come in one packet, as STAP-A, are handed over as one H.264 unit of type 24, which no decoder knows.
#
# Guess: the splicer takes apart what packetization mode 1 allows: single units, FU-A and STAP-A (RFC 6184 §6.3); an STAP-A
#   (§5.7.1) with SPS and PPS, as many senders begin with, is two units with a start code each.
# Seen: whatever is no FU-A gets one start code in front: the octet 78, the two lengths and both sets are one "frame" of type 24. A decoder leaves such a unit
#   out, as unspecified, and has no parameter sets, so that a stream with sets in STAP-A alone shows nothing. Cameras that send each set
#   in a packet of its own work. The list of types in the package has STAP_A, which nothing uses; H.265 goes the same way with type 48.
# Source: aio_rtsp_toolkit/media.py, H264Splicer.try_get_video_frame.
# Output seen: "single: type 7, 0000000167420a1e", "single: type 8, 0000000168ce06", "STAP-A: type 24, 0000000178000467420a1e000368ce06"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v aio-rtsp-toolkit==0.1.4 aio-sockets==0.1.4 || exit 2
cat >run.py <<'PY'
import struct
from aio_rtsp_toolkit.media import H264Splicer
from aio_rtsp_toolkit.types import RTP

def show(name, *payloads):
    splicer = H264Splicer()
    for number, payload in enumerate(payloads):
        for frame in splicer.try_get_video_frame(RTP(2, 0, 0, 0, 0, 96, number, 1000, 1, payload)):
            print(f"{name}: type {frame.nalu_type}, {bytes(frame.data).hex()}")

sets = bytes.fromhex("67420a1e"), bytes.fromhex("68ce06")
show("single", *sets)
show("STAP-A", b"\x78" + b"".join(struct.pack("!H", len(unit)) + unit for unit in sets))
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "single: type 7, 0000000167420a1e
single: type 8, 0000000168ce06
STAP-A: type 24, 0000000178000467420a1e000368ce06" ] || { echo "changed" >&2; exit 1; }
