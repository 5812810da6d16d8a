#!/usr/bin/env bash
# editcap 4.0.17 (Debian, Wireshark): packets written in the format of Visual Networks are read back four bytes shorter.
#
# Guess: a format that editcap writes and reads, `-F visual`, gives back lengths. Times have milliseconds there, which is
#   known.
# Seen: the reader takes four bytes for a frame check sequence away from the length on the wire, which the writer did not add:
#   of 60 bytes that were sent and captured 60 were captured and 56 were sent, which no packet can have. Rates are too small,
#   by 6 % for small packets; 4096 packets at 1514 count 16 KB less. From file to file it is another four bytes each time. `-F
#   5views` and `-F netmon2`, as old, give back what they got.
# Source: wiretap/visual.c, visual_read_packet (orig_len -= 4 for Ethernet) and visual_dump.
# Output seen: "sent 60, captured 60; visual: sent 56, captured 60; again: sent 52, captured 60; netmon2: sent 60, captured
#   60"
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
python3 - <<'PY'
import struct

frame = bytes(12) + b"\x08\x00" + struct.pack("!BBHHHBBH4s4s", 0x45, 0, 46, 0, 0x4000, 64, 132, 0, bytes([192, 0, 2, 1]),
                                              bytes([192, 0, 2, 2])) + bytes(26)
with open("before", "wb") as out:
    out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    out.write(struct.pack("<IIII", 1764547200, 0, len(frame), len(frame)) + frame)
PY
shown() {
    python3 -c 'import struct, sys
print("sent %d, captured %d" % struct.unpack_from("<II", open(sys.argv[1], "rb").read(), 32)[::-1])' "$1"
}
copied() {
    "$bin/editcap" -F "$1" "$2" old 2>/dev/null && "$bin/editcap" -F pcap old "$3" 2>/dev/null
}
copied visual before once || exit 2
copied visual once twice
copied netmon2 before other
seen="$(shown before); visual: $(shown once); again: $(shown twice); netmon2: $(shown other)"
echo "$seen"
[ "$seen" = "sent 60, captured 60; visual: sent 56, captured 60; again: sent 52, captured 60; netmon2: sent 60, captured 60" ] || {
    echo "changed" >&2; exit 1; }
