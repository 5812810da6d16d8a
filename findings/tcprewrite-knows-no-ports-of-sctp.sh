#!/usr/bin/env bash
# tcpreplay 4.4.3 (Debian): tcprewrite maps no ports of SCTP, and tcpprep puts both directions of an association on one side.
#
# Guess: --portmap=2905:3905 changes that port in each protocol that has ports; `tcpprep --port` takes packets to a port below
#   1024 for those of a client. What they cannot do they report.
# Seen: an SCTP packet comes out byte by byte as it went in, without a warning, while the same ports of UDP are mapped.
#   tcpprep puts all packets of SCTP on the side that is set for "non-IP", the server's, so that a replay through two
#   interfaces sends requests and answers out of the same one. With --auto=first, which looks at addresses, sides are right.
# Source: src/tcpedit/portmap.c, rewrite_ipv4_ports (TCP and UDP alone); src/tcpprep.c, check_ipv4_regex and its neighbours.
# Output seen: "udp: port 2905 -> 3905", "sctp: port 2905 -> 2905", "udp: Primary Secondary", "sctp: Secondary Secondary"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq tcpreplay=4.4.3-1 libdumbnet1=1.16.3-1 libpcap0.8=1.10.3-1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
cat >capture.py <<'PY'
import struct

def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)

def frame(protocol, hosts, body):
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), 0, 0x4000, 64, protocol, 0) + hosts
    total = sum(struct.unpack("!10H", ip))
    total = (total & 0xFFFF) + (total >> 16)
    return bytes(12) + b"\x08\0" + ip[:10] + struct.pack("!H", ~total & 0xFFFF) + ip[12:] + body

def sctp(source, target):
    head, chunk = struct.pack("!HHI", source, target, 2), struct.pack("!BBHIIHH", 3, 0, 16, 1, 65535, 0, 0)
    return head + crc32c(head + bytes(4) + chunk) + chunk

def udp(source, target):
    return struct.pack("!HHHH", source, target, 12, 0) + b"data"

for name, protocol, body in (("udp", 17, udp), ("sctp", 132, sctp)):
    for file, port in ((name, 2905), (name + "-low", 905)):
        with open(file, "wb") as out:
            out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
            for ends, hosts in (((5000, port), (1, 2)), ((port, 5000), (2, 1))):
                hosts = bytes([192, 0, 2, hosts[0], 192, 0, 2, hosts[1]])
                packet = frame(protocol, hosts, body(*ends))
                out.write(struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)
PY
python3 capture.py
seen=$(for name in udp sctp; do
    root/usr/bin/tcprewrite --portmap=2905:3905 --infile=$name --outfile=mapped 2>&1
    echo "$name: port 2905 -> $((0x$(xxd -s 76 -l 2 -p mapped)))"
done
for name in udp sctp; do
    root/usr/bin/tcpprep --port --pcap=$name-low --cachefile=sides 2>&1
    echo "$name:" $(root/usr/bin/tcpprep --print-info=sides | sed 's/.*> //')
done)
echo "$seen"
[ "$seen" = "udp: port 2905 -> 3905
sctp: port 2905 -> 2905
udp: Primary Secondary
sctp: Secondary Secondary" ] || { echo "changed" >&2; exit 1; }
