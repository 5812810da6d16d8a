#!/usr/bin/env bash
# pcapml 0.1.0 (PyPI): times "as integer nanoseconds (loss-free ...)" are up to some 380 ns off, in files in microseconds as well.
#
# Guess: `ts_nanos`, whose documentation says that it loses nothing at resolutions of ms, us and ns, multiplies integers:
#   1700000000000002 microseconds are 1700000000000002000 ns. The data frame's column `timestamp` is made of it.
# Seen: the ticks are multiplied by a fraction as floating-point numbers, which have 53 bits for the 61 of today's time: the
#   result is a multiple of 256. A nanosecond file has steps of 256 ns or, between neighbours, none, and a time in
#   microseconds is no longer a whole one, so that it does not match the same packet read by another program.
# Source: pcapml/_pcapng.py, Packet.ts_nanos.
# Output seen: "us 1700000000000002000: -208 ns", "ns 1700000000000000001: -1 ns", "ns 1700000000000000100: -100 ns"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install --no-deps pcapml==0.1.0 || exit 2
cat >run.py <<'PY'
import io
import struct
import sys

sys.modules["pandas"] = sys  # for the data frames alone
from pcapml._pcapng import iter_packets

def block(kind, body):
    return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))

START = 1_700_000_000
for name, exponent, ticks in (("us", 6, 2), ("ns", 9, 1), ("ns", 9, 100)):
    ticks += START * 10**exponent
    file = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    file += block(1, struct.pack("<HHI", 1, 0, 0) + struct.pack("<HHBxxxHH", 9, 1, exponent, 0, 0))
    file += block(6, struct.pack("<IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF, 60, 60) + bytes(60))
    (packet,) = iter_packets(io.BytesIO(file))
    true = ticks * 10 ** (9 - exponent)
    print(f"{name} {true}: {packet.ts_nanos - true} ns")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "us 1700000000000002000: -208 ns
ns 1700000000000000001: -1 ns
ns 1700000000000000100: -100 ns" ] || { echo "changed" >&2; exit 1; }
