#!/usr/bin/env bash
# libtrace-tools 3.0.22 (Debian): of a capture on Ethernet each packet counts four bytes more than it has, of one of IP none.
#
# Guess: `tracestats` and `tracertstats` add up the lengths that the file has (pcap: the original length), as capinfos does, so that
#   10 SACKs with 62 bytes each are 620 bytes, and 480 bytes where the same packets were captured without the Ethernet header.
# Seen: 660 and 480. libtrace adds a frame check sequence to each Ethernet packet of a pcap file, since its other format, ERF, has
#   them on the wire; the file holds none. A throughput of small packets is 6 % too high, two rates of one link that
#   were captured on an interface and in a tunnel differ, and a program of libtrace that turns pcap into ERF writes the larger
#   length, which capinfos then reports, too.
# Source: lib/format_pcapfile.c, pcapfile_get_wire_length; the documentation of trace_get_wire_length.
# Output seen: "ethernet: 10 packets, 660 bytes, of file 620", "ip: 10 packets, 480 bytes, of file 480"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq {libtrace-tools,libtrace3,libpacketdump3,libwandio1}=3.0.22-0.1 libpcap0.8=1.10.3-1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib:$folder/root/usr/lib/x86_64-linux-gnu
cat >captures.py <<'PY'
import struct

sack = struct.pack("!HHII", 5000, 2905, 2, 0) + struct.pack("!BBHIIHH", 3, 0, 16, 1, 100000, 0, 0)
packet = struct.pack("!BBHHHBBH", 0x45, 0, 48, 0, 0, 64, 132, 0) + bytes([192, 0, 2, 1, 192, 0, 2, 2]) + sack
for name, link, data in (("ip", 101, packet), ("ethernet", 1, bytes(12) + b"\x08\x00" + packet)):
    out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link)
    for count in range(10):
        out += struct.pack("<IIII", 1700000000, count, len(data), len(data)) + data
    open(name, "wb").write(out)
    open(name + ".size", "w").write(str(10 * len(data)))
PY
python3 captures.py
seen=$(for name in ethernet ip; do
    root/usr/bin/tracestats -f sctp "pcapfile:$name" 2>/dev/null |
        awk -v name=$name -v size="$(cat $name.size)" '/sctp:/ { print name ": " $2 " packets, " $3 " bytes, of file " size }'
done)
echo "$seen"
[ "$seen" = "ethernet: 10 packets, 660 bytes, of file 620
ip: 10 packets, 480 bytes, of file 480" ] || { echo "changed" >&2; exit 1; }
