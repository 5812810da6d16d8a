#!/usr/bin/env bash
# tcpreplay 4.4.3 (Debian): tcprewrite --fixcsum makes right checksums wrong, of each frame that Ethernet padded to 60 bytes.
#
# Guess: --fixcsum, "force recalculation of IPv4/TCP/UDP header checksums", leaves right checksums as they are. Bytes behind
#   the IP length are padding and belong to nothing.
# Seen: the length in the pseudo-header is that of all that was captured behind the IP header, padding included: the checksum
#   is too small by the number of bytes of padding. An acknowledgement of TCP without options has six, a datagram with two
#   bytes of data sixteen. Receivers of the replay drop just the short packets: acknowledgements, probes, signalling. Without
#   padding, as captured on the sending host, all is right. bittwiste gives 4ac1 for the datagram with padding as well.
# Source: src/tcpedit/edit_packet.c, fix_ipv4_checksums, and checksum.c, do_checksum.
# Output seen: "UDP, 0 bytes of padding: 4ac1 -> 4ac1", "UDP, 16 bytes of padding: 4ac1 -> 4ab1", "TCP, 6 bytes of padding:
#   0906 -> 0900"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq tcpreplay=4.4.3-1 libdumbnet1=1.16.3-1 libpcap0.8=1.10.3-1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
cat >run.py <<'PY'
import struct
import subprocess

ENDS = bytes([192, 0, 2, 1, 192, 0, 2, 2])

def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF

for name, protocol, place, segment in (
    ("UDP", 17, 6, struct.pack("!HHHHH", 5000, 2905, 10, 0, 0x1234)),
    ("TCP", 6, 16, struct.pack("!HHIIBBHHH", 5000, 2905, 1, 1, 0x50, 0x10, 1000, 0, 0)),
):
    right = checksum(ENDS + struct.pack("!HH", protocol, len(segment)) + segment)
    segment = segment[:place] + struct.pack("!H", right) + segment[place + 2:]
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(segment), 0, 0, 64, protocol, 0) + ENDS
    ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    for padding in (0, 60 - 14 - 20 - len(segment)):
        frame = bytes(12) + b"\x08\x00" + ip + segment + bytes(padding)
        with open("before", "wb") as out:
            out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
            out.write(struct.pack("<IIII", 1764547200, 0, len(frame), len(frame)) + frame)
        subprocess.run(["root/usr/bin/tcprewrite", "--fixcsum", "--infile=before", "--outfile=after"], check=True)
        after = struct.unpack_from("!H", open("after", "rb").read(), 40 + 34 + place)[0]
        print(f"{name}, {padding} bytes of padding: {right:04x} -> {after:04x}")
PY
seen=$(python3 run.py)
echo "$seen"
[ "$seen" = "UDP, 0 bytes of padding: 4ac1 -> 4ac1
UDP, 16 bytes of padding: 4ac1 -> 4ab1
TCP, 0 bytes of padding: 0906 -> 0906
TCP, 6 bytes of padding: 0906 -> 0900" ] || { echo "changed" >&2; exit 1; }
