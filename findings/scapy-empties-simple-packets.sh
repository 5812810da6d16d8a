#!/usr/bin/env bash
# scapy 2.8.0 shows Simple Packet Blocks as packets of no bytes, seen just now; dpkt 1.9.8 leaves them out.
#
# Guess: such a block, which has a length and no time, is read whole, as a packet without a time.
# Seen: if the interface's snapshot length is 0, which stands for "no limit", scapy takes it for the limit: the packet has
#   0 bytes. Its time is that of the reading, so that two readings of one file differ. With a limit above the packet's
#   length the bytes are there. dpkt has no packet in either case, and no error. python-pcapng reads both whole.
# Source: draft-ietf-opsawg-pcapng §4.2 (SnapLen), §4.4; scapy/utils.py, _read_block_spb; dpkt/pcapng.py, Reader.
# Output seen: "no limit: scapy [0] dpkt [] python-pcapng [60]", "limit 65535: scapy [60] dpkt [] python-pcapng [60]",
#   "time is now: True"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" --quiet --disable-pip-version-check install dpkt==1.9.8 python-pcapng==2.1.1 scapy==2.8.0
cat >"$folder/run.py" <<'PY'
import struct
import time

import dpkt
import pcapng
from scapy.all import RawPcapNgReader, rdpcap


def block(kind, body):
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length


began = time.time()
for name, limit in ("no limit", 0), ("limit 65535", 65535):
    with open("f.pcapng", "wb") as file:
        file.write(block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
        file.write(block(1, struct.pack("<HHI", 1, 0, limit)))
        file.write(block(3, struct.pack("<I", 60) + bytes(60)))
    packets = [data for data, _ in RawPcapNgReader("f.pcapng")]
    with open("f.pcapng", "rb") as file:
        others = [len(data) for _, data in dpkt.pcapng.Reader(file)]
    with open("f.pcapng", "rb") as file:
        found = [len(one.packet_data) for one in pcapng.FileScanner(file) if hasattr(one, "packet_data")]
    print(f"{name}: scapy", [len(packet) for packet in packets], "dpkt", others, "python-pcapng", found)
print("time is now:", float(rdpcap("f.pcapng")[0].time) >= began)
PY
seen=$(cd "$folder" && v/bin/python -W ignore run.py 2>/dev/null)
echo "$seen"
[ "$seen" = 'no limit: scapy [0] dpkt [] python-pcapng [60]
limit 65535: scapy [60] dpkt [] python-pcapng [60]
time is now: True' ] || { echo "changed" >&2; exit 1; }
