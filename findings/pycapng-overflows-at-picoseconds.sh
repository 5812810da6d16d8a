#!/usr/bin/env bash
# pycapng 0.19.7 (libpcapng): times that a pcapng file holds in picoseconds are wrong by a fraction of a second.
#
# Guess: `timestamp_ns` is the time in nanoseconds for each if_tsresol that it accepts.
# Seen: the fraction is multiplied by 10^9 before it is divided, which overflows 64 bits above 18 ms in picoseconds: 0.25 s
#   becomes 0.010192327 s. Seconds are right, so that the order of packets within a second changes and nothing looks
#   broken. Wireshark 4.0.17 shows the same fraction; scapy 2.8.0 the right one.
# Source: draft-ietf-opsawg-pcapng §4.2 (if_tsresol).
# Output seen: "pycapng 1000.010192327", "scapy 1000.25"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" --quiet --disable-pip-version-check install pycapng==0.19.7 scapy==2.8.0
cat >"$folder/run.py" <<'PY'
import struct

import pycapng
from scapy.all import rdpcap


def block(kind, body):
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length


time = 1000 * 10**12 + 10**12 // 4
with open("f.pcapng", "wb") as file:
    file.write(block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
    file.write(block(1, struct.pack("<HHI HHB3x HH", 1, 0, 0, 9, 1, 12, 0, 0)))
    file.write(block(6, struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, 60, 60) + bytes(60)))
print("pycapng", pycapng.read_packets("f.pcapng")[0].timestamp_ns / 1e9)
print("scapy", float(rdpcap("f.pcapng")[0].time))
PY
seen=$(cd "$folder" && v/bin/python -W ignore run.py 2>/dev/null)
echo "$seen"
[ "$seen" = $'pycapng 1000.010192327\nscapy 1000.25' ] || { echo "changed" >&2; exit 1; }
