#!/usr/bin/env bash
# tcpdump 4.99.3 and tcpslice 1.5 (Debian): a copy of a capture in nanoseconds, filtered or not, has microseconds.
#
# Guess: -r with -w copies packets that match a filter; headers and times stay as they are, since the file says in its first four octets that
#   it counts nanoseconds, and the copy can say so, too. editcap copies so.
# Seen: the copy has the other magic number, and the last three digits of each time are gone, without a word: two packets 400 ns apart came
#   at one time, and jitter within a data centre is 0 or 1 µs. --nano (--time-stamp-precision=nano), which the manual describes for capturing
#   and for display, keeps them; tcpslice has no such option. A capture that was split by hour or by port cannot be used.
# Source: tcpdump.c, which opens files with a precision of microseconds unless told; tcpslice's sessions.c and tcpslice.c, pcap_open_offline.
# Output seen: "file: 4d3cb2a1 100000000 100000400", "tcpdump: d4c3b2a1 100000000 100000000", "--nano: 4d3cb2a1 100000000 100000400"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq tcpdump=4.99.3-1 tcpslice=1.5-1 libpcap0.8=1.10.3-1 libnet1=1.1.6+dfsg-3.2 libnids1.21=1.26-2 libosip2-15=5.3.0-2.1 \
    2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
PATH=$folder/root/usr/bin:$folder/root/usr/sbin:$PATH
cat >capture.py <<'PY'
import struct
import sys

if len(sys.argv) > 1:
    data = open(sys.argv[2], "rb").read()
    nano = data[:4].hex() == "4d3cb2a1"
    times = [struct.unpack_from("<I", data, 24 + 4 + place * (16 + 28))[0] * (1 if nano else 1000) for place in (0, 1)]
    print(f"{sys.argv[1]}: {data[:4].hex()} {times[0]} {times[1]}")
else:
    out = struct.pack("<IHHIIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 101)
    for nanoseconds in (100000000, 100000400):
        packet = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28, 0, 0, 64, 132, 0, bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2])) + bytes(8)
        out += struct.pack("<IIII", 1764480000, nanoseconds, len(packet), len(packet)) + packet
    open("file", "wb").write(out)
PY
python3 capture.py
tcpdump -r file -w tcpdump.pcap sctp 2>/dev/null || exit 2
tcpdump --nano -r file -w nano.pcap sctp 2>/dev/null || exit 2
tcpslice -w tcpslice.pcap file 2>/dev/null || exit 2
seen=$(for pair in file=file tcpdump=tcpdump.pcap --nano=nano.pcap tcpslice=tcpslice.pcap; do python3 capture.py "${pair%=*}" "${pair#*=}"; done)
echo "$seen"
[ "$seen" = "file: 4d3cb2a1 100000000 100000400
tcpdump: d4c3b2a1 100000000 100000000
--nano: 4d3cb2a1 100000000 100000400
tcpslice: d4c3b2a1 100000000 100000000" ] || { echo "changed" >&2; exit 1; }
