#!/usr/bin/env bash
# dtmf-py 0.1.3 (PyPI): in its RTP packets for "12" the second key begins 20 ms after the first, which lasts 180 ms.
#
# Guess: the timestamp of an event is its beginning (RFC 4733, §2.2.1), so that the next event's is later by at least the first one's duration,
#   and the final packets, sent three times, say one duration (§2.5.1.4).
# Seen: the timestamp grows by 160, one packet, for each key, while the duration grows to 1440: the events overlap by 160 ms and nothing lies
#   between, so that a receiver that goes by time has keys of 20 ms or one key. Two packets have the end bit, and the second is 20 ms
#   longer. With tone_packets_count=10 there are nine.
# Source: dtmf_py/dtmf.py, make_numbers_packets (range(1, tone_packets_count), timestamp += 160). RFC 4733.
# Output seen: "1: at 1, 9 packets, ends 1280 1440", "2: at 161, 9 packets, ends 1280 1440"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v dtmf-py==0.1.3 rtp==0.0.4 || exit 2
cat >run.py <<'PY'
import struct

from dtmf_py import DTMF

events = {}
for packet in DTMF.make_numbers_packets("12"):
    timestamp, event, flags, duration = struct.unpack_from("!4xI4xBBH", bytes(packet))
    events.setdefault((event, timestamp), []).append((flags >> 7, duration))
for (event, timestamp), packets in events.items():
    print(f"{event}: at {timestamp}, {len(packets)} packets, ends", *(duration for end, duration in packets if end))
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "1: at 1, 9 packets, ends 1280 1440
2: at 161, 9 packets, ends 1280 1440" ] || { echo "changed" >&2; exit 1; }
