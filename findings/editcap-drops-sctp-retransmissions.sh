#!/usr/bin/env bash
# editcap 4.0.17 (Debian, Wireshark): `-d`, which removes duplicates, removes retransmissions of SCTP, seconds later.
#
# Guess: -d is for copies of one packet, as a capture on two ports of a switch has them, microseconds apart; a DATA chunk
#   that was sent again is another packet. Captures of TCP support that: timestamps and the IP identification differ.
# Seen: bytes are compared with those of the four packets before, whatever the time between. SCTP has no timestamps, and
#   Linux sends unfragmentable packets of unconnected sockets with the identification 0, so that a chunk that T3 sent
#   again is the same bytes, checksum and all: it is gone. tshark's sctp.retransmission, which found one before, finds
#   none: a lossy path looks clean, with a pause of a second. -w 0.001 keeps them.
# Source: editcap.c, is_duplicate; is_duplicate_rel_time behind -w.
# Output seen: "before: 5 packets, retransmissions: 4", "-d: 4 packets, retransmissions: none", "-w 0.001: 5 packets,
#   retransmissions: 4"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
wireshark=4.0.17-0+deb12u3
apt-get download -qq {tshark,wireshark-common,libwireshark16,libwireshark-data,libwiretap13,libwsutil14}=$wireshark \
    libc-ares2=1.18.1-3 liblua5.2-0=5.2.4-3 libpcap0.8=1.10.3-1 libsmi2ldbl=0.4.8+dfsg2-16 libsnappy1v5=1.1.9-3 \
    2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu WIRESHARK_DATA_DIR=$folder/root/usr/share/wireshark
export HOME=$folder
bin=$folder/root/usr/bin
"$bin/tshark" --version >/dev/null 2>&1 || exit 2
cat >capture.py <<'PY'
import struct

def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)

def frame(ours, chunk):
    hosts = (bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2]))
    ports, tag = ((5000, 2905), 2) if ours else ((2905, 5000), 1)
    head = struct.pack("!HHI", *ports, tag)
    body = head + crc32c(head + bytes(4) + chunk) + chunk
    source, target = hosts if ours else hosts[::-1]
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), 0, 0x4000, 64, 132, 0) + source + target
    total = sum(struct.unpack("!10H", ip))
    total = (total & 0xFFFF) + (total >> 16)
    return bytes(12) + b"\x08\0" + ip[:10] + struct.pack("!H", ~total & 0xFFFF) + ip[12:] + body

def data(tsn):
    return frame(True, struct.pack("!BBHIHHI", 0, 3, 20, tsn, 0, tsn, 0) + b"data")

def sack(tsn):
    return frame(False, struct.pack("!BBHIIHH", 3, 0, 16, tsn, 65535, 0, 0))

with open("before", "wb") as out:
    out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    for time, packet in ((0.0, data(1)), (0.02, sack(1)), (0.5, data(2)), (1.5, data(2)), (1.52, sack(2))):
        out.write(struct.pack("<IIII", int(time), round(time % 1 * 1e6), len(packet), len(packet)) + packet)
PY
python3 capture.py
"$bin/editcap" -d before deduplicated 2>/dev/null
"$bin/editcap" -w 0.001 before within 2>/dev/null
shown() {
    local all again
    all=$("$bin/tshark" -r "$2" 2>/dev/null | wc -l)
    again=$("$bin/tshark" -r "$2" -Y sctp.retransmission -T fields -e frame.number 2>/dev/null)
    echo "$1: $all packets, retransmissions: ${again:-none}"
}
seen=$(shown before before && shown -d deduplicated && shown "-w 0.001" within)
echo "$seen"
[ "$seen" = "before: 5 packets, retransmissions: 4
-d: 4 packets, retransmissions: none
-w 0.001: 5 packets, retransmissions: 4" ] || { echo "changed" >&2; exit 1; }
