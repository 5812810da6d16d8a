#!/usr/bin/env bash
# python-pcapng 2.1.1 (PyPI): begin and end of a capture in its statistics block are read with their halves exchanged.
#
# Guess: isb_starttime and isb_endtime have the form of a packet's time, "the same as" in the Enhanced Packet Block: the upper 32
#   bits, then the lower 32, each in the section's order of bytes (draft-ietf-opsawg-pcapng §4.6). So an ISB that begins with the
#   first packet has its number.
# Seen: they are read as one integer of 64 bits. In a big-endian file this is the same; in a little-endian one, which is what
#   nearly all machines write, the halves are exchanged: a time in December 2025 is read as one 386,000 years after 1970, and a
#   capture of ten seconds took 1361 years. Counters (isb_ifrecv, isb_ifdrop), which are plain 64-bit numbers, are right. The
#   crate pcap-parser has the two options as a pair of upper and lower half.
# Source: pcapng/blocks.py, InterfaceStatistics (Option "u64" for codes 2 and 3, as for the counters).
# Output seen: "big-endian: packet 1764547200000000, statistics from 1764547200000000 for 10.0 s, received 42",
#   "little-endian: packet 1764547200000000, statistics from 12181005539014493400 for 42949672960.0 s, received 42"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip --quiet --disable-pip-version-check install --target lib python-pcapng==2.1.1 || exit 2
cat >run.py <<'PY'
import io
import struct

from pcapng import FileScanner
from pcapng.blocks import EnhancedPacket, InterfaceStatistics

START = 1_764_547_200_000_000
END = START + 10_000_000

for name, order in (("big-endian", ">"), ("little-endian", "<")):
    def block(kind, body):
        length = struct.pack(order + "I", len(body) + 12)
        return struct.pack(order + "I", kind) + length + body + length

    def time(stamp):
        return struct.pack(order + "II", stamp >> 32, stamp & 0xFFFFFFFF)

    def option(code, value):
        return struct.pack(order + "HH", code, len(value)) + value

    statistics = struct.pack(order + "I", 0) + time(END) + option(2, time(START)) + option(3, time(END)) + option(
        4, struct.pack(order + "Q", 42)) + option(0, b"")
    file = block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1)) + block(
        1, struct.pack(order + "HHI", 1, 0, 0)) + block(
        6, struct.pack(order + "I", 0) + time(START) + struct.pack(order + "II", 16, 16) + bytes(16)) + block(5, statistics)
    for one in FileScanner(io.BytesIO(file)):
        if isinstance(one, EnhancedPacket):
            packet = (one.timestamp_high << 32) + one.timestamp_low
        if isinstance(one, InterfaceStatistics):
            start, end = one.options["isb_starttime"], one.options["isb_endtime"]
            print(f"{name}: packet {packet}, statistics from {start} for {(end - start) / 1e6} s, received",
                  one.options["isb_ifrecv"])
PY
seen=$(PYTHONPATH=lib python3 run.py)
echo "$seen"
[ "$seen" = "big-endian: packet 1764547200000000, statistics from 1764547200000000 for 10.0 s, received 42
little-endian: packet 1764547200000000, statistics from 12181005539014493400 for 42949672960.0 s, received 42" ] || {
    echo "changed" >&2; exit 1; }
