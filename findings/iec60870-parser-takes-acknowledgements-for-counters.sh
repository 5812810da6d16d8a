#!/usr/bin/env bash
# iec60870-parser 0.1.1 (PyPI): the second I-frame of a station that was sent nothing is CORRUPTED, "receive sequence mismatch".
#
# Guess: the receive sequence number N(R) of a frame acknowledges what went the other way (IEC 60870-5-104 §5.1), so that it stays 0 while the station
#   is only listened to; a session compares N(S) with the number of frames that came.
# Seen: the session counts the frames that came and compares N(R) with them. Of three spontaneous messages the first passes; the two others do not,
#   though N(S) is 0, 1, 2. A station whose N(S) jumps is in turn not noticed.
# Source: iec60870/parser.py, T104Session.parse and _parse_t104 (expected_receive_sequence).
# Output seen: "only listening: N(S) 0, N(R) 0: VALID", "only listening: N(S) 1, N(R) 0: CORRUPTED receive sequence mismatch", "only listening: N(S) 2, N(R) 0: CORRUPTED receive sequence mismatch", "N(S) jumps: N(S) 0, N(R) 0: VALID", "N(S) jumps: N(S) 9, N(R) 1: VALID"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v iec60870-parser==0.1.1 || exit 2
cat >run.py <<'PY'
from iec60870 import T104Session

point = bytes([1, 1, 3, 0, 1, 0, 1, 0, 0, 1])  # one single-point value, spontaneous

def frame(sent, received):
    control = (sent << 1).to_bytes(2, "little") + (received << 1).to_bytes(2, "little")
    return bytes([0x68, 4 + len(point)]) + control + point

for name, numbers in (("only listening", ((0, 0), (1, 0), (2, 0))), ("N(S) jumps", ((0, 0), (9, 1)))):
    session = T104Session()
    for sent, received in numbers:
        result = session.parse(frame(sent, received))
        print(f"{name}: N(S) {sent}, N(R) {received}: {result.status.value} {result.error or ''}".rstrip())
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "only listening: N(S) 0, N(R) 0: VALID
only listening: N(S) 1, N(R) 0: CORRUPTED receive sequence mismatch
only listening: N(S) 2, N(R) 0: CORRUPTED receive sequence mismatch
N(S) jumps: N(S) 0, N(R) 0: VALID
N(S) jumps: N(S) 9, N(R) 1: VALID" ] || { echo "changed" >&2; exit 1; }
