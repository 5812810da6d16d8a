#!/usr/bin/env bash
# rtpkit 0.3.0 (PyPI): a stream without any jitter has one of nine hours from the packet on at which its timestamp passes 2^32.
#
# Guess: timestamps are 32-bit counters that begin at a random value and wrap (RFC 3550 §5.1); the difference of two transit times is taken in their arithmetic (§6.4.1, A.8),
#   and four packets in step have a jitter of 0. The tracker says of sequence numbers that their wrap is handled.
# Seen: times are subtracted as plain numbers. At the wrap the transit time jumps by 2^32 and the jitter to 268,435,456 units, 9.3 hours at 8000 Hz; it falls by a 16th a packet, so that
#   it takes about 270 packets to fall below a millisecond. One call in 99 of an hour and a half passes the wrap; with the 90 kHz of video one in nine.
# Source: rtpkit/stream/tracker.py, _StreamState._update_jitter.
# Output seen: "0, 0, 268435456, 251658240"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v rtpkit==0.3.0 || exit 2
cat >run.py <<'PY'
import struct

from rtpkit.parser.rtp_parser import parse_rtp
from rtpkit.stream.tracker import RtpStreamTracker

tracker = RtpStreamTracker()
jitters = []
for n in range(4):
    timestamp = (2**32 - 320 + 160 * n) % 2**32
    tracker.observe(parse_rtp(struct.pack("!BBHII", 0x80, 0, 100 + n, timestamp, 7) + bytes(160)), arrival_time=n / 50)
    jitters.append(tracker.stats(7).jitter)
print(", ".join(f"{jitter:.0f}" for jitter in jitters))
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "0, 0, 268435456, 251658240" ] || { echo "changed" >&2; exit 1; }
