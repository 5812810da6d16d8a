#!/usr/bin/env bash
# libtrace-tools 3.0.22 (Debian), traceends: what an IPv4 address sent is counted with the two bytes of each length exchanged.
#
# Guess: bytes "originating from the endpoint (IP header onwards)" are the sum of the total lengths in the IP headers, as
#   bytes "sent to the endpoint" are; what one end sends the other receives.
# Seen: three packets of 68, 52 and 56 bytes are 45056 bytes (0x4400 + 0x3400 + 0x3800) on the side of the sender and 176 on
#   the side of the receiver. 1500 bytes count as 56325, 256 as 1. A host that sends acknowledgements of 52 bytes seems to
#   send 13312 for each. tracetopends, which sorts by these numbers, puts hosts with small packets first. By IPv6 and by MAC
#   addresses the numbers are right.
# Source: tools/traceends/traceends.cc, for IPv4 (ip_len without ntohs for the source, with it for the destination).
# Output seen: "v4 10.0.0.1: sent 3 packets, 45056 bytes; received 1, 48", "v4 10.0.0.2: sent 1 packets, 12288 bytes; received
#   3, 176"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq {libtrace-tools,libtrace3,libwandio1}=3.0.22-0.1 libpcap0.8=1.10.3-1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/usr/lib
python3 - <<'PY'
import struct

def ethernet(source, target, kind, body):
    return bytes([2, 0, 0, 0, 0, target, 2, 0, 0, 0, 0, source]) + struct.pack("!H", kind) + body

def four(source, target, length):
    header = struct.pack("!BBHHHBBH", 0x45, 0, length, 0, 0x4000, 64, 132, 0) + bytes([10, 0, 0, source, 10, 0, 0, target])
    return ethernet(source, target, 0x0800, header + bytes(length - 20))

def six(source, target, length):
    ends = [bytes.fromhex("20010db8") + bytes(11) + bytes([end]) for end in (source, target)]
    header = struct.pack("!IHBB", 6 << 28, length - 40, 132, 64) + b"".join(ends)
    return ethernet(source, target, 0x86DD, header + bytes(length - 40))

for name, build in (("v4", four), ("v6", six)):
    with open(name, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for time, (source, target, length) in enumerate(((1, 2, 68), (1, 2, 52), (2, 1, 48), (1, 2, 56))):
            frame = build(source, target, length)
            out.write(struct.pack("<IIII", 1764547200 + time, 0, len(frame), len(frame)) + frame)
PY
seen=$(for kind in v4 v6; do
    root/usr/bin/traceends -A $kind pcapfile:$kind 2>/dev/null | sort |
        awk -v kind=$kind '{print kind " " $1 ": sent " $3 " packets, " $4 " bytes; received " $6 ", " $7}'
done)
echo "$seen"
[ "$seen" = "v4 10.0.0.1: sent 3 packets, 45056 bytes; received 1, 48
v4 10.0.0.2: sent 1 packets, 12288 bytes; received 3, 176
v6 2001:db8::1: sent 3 packets, 176 bytes; received 1, 48
v6 2001:db8::2: sent 1 packets, 48 bytes; received 3, 176" ] || { echo "changed" >&2; exit 1; }
