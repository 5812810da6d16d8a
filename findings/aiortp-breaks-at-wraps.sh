#!/usr/bin/env bash
# aiortp 0.8.0 (PyPI): where RTP's counters wrap the jitter jumps to fifty minutes, and a NACK cannot be written.
#
# Guess: timestamps (32 bits) and sequence numbers (16 bits) begin at random numbers and wrap (RFC 3550 §5.1), so that a wrap changes neither
#   jitter nor loss; lost packets 65535 and 0 are one item of a NACK (RFC 4585 §6.2.1).
# Seen: packets 65535 and 0 as lost are "negative shift count", and an item of a peer for both is read as 65535 and 65536, a packet that does
#   not exist. At the timestamp's wrap an even stream gets a jitter of 2^28 units, 2982 s at 90 kHz, that falls by a sixteenth a packet: for
#   some 300 packets the receiver reports are wrong. The count of lost packets, which is made from the same numbers, is right, as is
#   the class's own comparison of sequence numbers.
# Source: aiortp/stats.py, StreamStatistics.add; aiortp/packet.py, RtcpRtpfbPacket.
# Output seen: "jitter 0 0 268435456 251658240, lost 0", "write: ValueError", "read: 65535 65536"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v aiortp==0.8.0 || exit 2
cat >run.py <<'PY'
import types
from aiortp import stats
from aiortp.packet import RtcpPacket, RtcpRtpfbPacket, RtpPacket

clock = [1000.0]
stats.time = types.SimpleNamespace(monotonic=lambda: clock[0])
stream = stats.StreamStatistics(90_000)
jitter = []
for number in range(-2, 2):
    stream.add(RtpPacket(payload_type=96, sequence_number=number % 2**16, timestamp=3000 * number % 2**32))
    jitter.append(stream.jitter)
    clock[0] += 3000 / 90_000
print(f"jitter {' '.join(map(str, jitter))}, lost {stream.packets_lost}")
try:
    print("write:", bytes(RtcpRtpfbPacket(fmt=1, ssrc=1, media_ssrc=2, lost=[65535, 0])).hex())
except ValueError as error:
    print("write:", type(error).__name__)
print("read:", *RtcpPacket.parse(bytes.fromhex("81cd0003" "00000001" "00000002" "ffff0001"))[0].lost)
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "jitter 0 0 268435456 251658240, lost 0
write: ValueError
read: 65535 65536" ] || { echo "changed" >&2; exit 1; }
