#!/usr/bin/env bash
# libtrace-tools 3.0.22 (Debian), traceconvert: packets that went from pcap to ERF and back are a microsecond earlier.
#
# Guess: ERF counts 2^-32 s, 4,000 times as fine as a microsecond, so that microseconds survive the way there and back; and
#   the file at pcapfile:NAME is what tcpdump reads.
# Seen: fractions are cut on the way there and cut again on the way back: 10001 us is 10000, 999999 is 999998. Only the
#   multiples that are exact stay. Between an original and a copy each packet is a microsecond off, and gaps are off by one.
#   Wireshark's reader, which rounds, has the original times from the same ERF file. The files are compressed by gzip,
#   whatever their name is: to tcpdump they are no captures.
# Source: lib/trace.c, trace_get_timeval and the conversion of erf timestamps; the script traceconvert (tracesplit -z 1 -Z
#   gzip).
# Output seen: "before: 0 10001 20002 999999", "after: 0 10000 20001 999998", "first bytes 1f8b"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq {libtrace-tools,libtrace3,libwandio1}=3.0.22-0.1 libpcap0.8=1.10.3-1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/usr/lib PATH=$PATH:$folder/root/usr/bin
cat >run.py <<'PY'
import gzip
import struct
import subprocess

MICROSECONDS = (0, 10001, 20002, 999999)
frame = bytes(12) + b"\x08\x00" + struct.pack("!BBHHHBBH4s4s", 0x45, 0, 46, 0, 0x4000, 64, 132, 0, bytes([192, 0, 2, 1]),
                                              bytes([192, 0, 2, 2])) + bytes(26)
with open("before", "wb") as out:
    out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    for time in MICROSECONDS:
        out.write(struct.pack("<IIII", 1764547200, time, len(frame), len(frame)) + frame)
subprocess.run(["traceconvert", "pcapfile:before", "erf:middle"], check=True)
subprocess.run(["traceconvert", "erf:middle", "pcapfile:after"], check=True)
raw = open("after", "rb").read()
data = gzip.decompress(raw)
times, place = [], 24
while place < len(data):
    seconds, time, captured, _ = struct.unpack_from("<IIII", data, place)
    times.append(time)
    place += 16 + captured
print("before:", *MICROSECONDS)
print("after:", *times)
print("first bytes", raw[:2].hex())
PY
seen=$(python3 run.py)
echo "$seen"
[ "$seen" = "before: 0 10001 20002 999999
after: 0 10000 20001 999998
first bytes 1f8b" ] || { echo "changed" >&2; exit 1; }
