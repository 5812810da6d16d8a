#!/usr/bin/env bash
# scapy 2.8.0, python-pcapng 2.1.1 and pycapng 0.19.7 leave the option if_tsoffset of a pcapng file out of times.
#
# Guess: a reader that heeds if_tsresol heeds if_tsoffset, seconds that are added to each time of the interface; capture
#   devices and ring buffers that stamp from their start write it.
# Seen: a packet of 1700000005.25 (offset 1700000000, 5.25 in the packet) is at 5.25, in January 1970. dpkt 1.9.8 adds it.
#   python-pcapng even has the option's value at hand, as interface.options["if_tsoffset"]. Two interfaces with different
#   offsets are merged in the wrong order, without a word.
# Source: draft-ietf-opsawg-pcapng §4.2; scapy/utils.py, RawPcapNgReader; pcapng/blocks.py, timestamp.
# Output seen: "scapy 5.25", "python-pcapng 5.25", "pycapng 5.25", "dpkt 1700000005.25"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" --quiet --disable-pip-version-check install \
    dpkt==1.9.8 pycapng==0.19.7 python-pcapng==2.1.1 scapy==2.8.0
cat >"$folder/run.py" <<'PY'
import struct

import dpkt
import pcapng
import pycapng
from scapy.all import rdpcap


def block(kind, body):
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length


frame, time = bytes(60), 5_250_000
with open("f.pcapng", "wb") as file:
    file.write(block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
    file.write(block(1, struct.pack("<HHI HHq HH", 1, 0, 0, 14, 8, 1_700_000_000, 0, 0)))
    file.write(block(6, struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, 60, 60) + frame))
print("scapy", float(rdpcap("f.pcapng")[0].time))
with open("f.pcapng", "rb") as file:
    packets = [found for found in pcapng.FileScanner(file) if hasattr(found, "packet_data")]
print("python-pcapng", packets[0].timestamp)
print("pycapng", pycapng.read_packets("f.pcapng")[0].timestamp_ns / 1e9)
with open("f.pcapng", "rb") as file:
    print("dpkt", float(next(iter(dpkt.pcapng.Reader(file)))[0]))
PY
seen=$(cd "$folder" && v/bin/python -W ignore run.py 2>/dev/null)
echo "$seen"
[ "$seen" = 'scapy 5.25
python-pcapng 5.25
pycapng 5.25
dpkt 1700000005.25' ] || { echo "changed" >&2; exit 1; }
