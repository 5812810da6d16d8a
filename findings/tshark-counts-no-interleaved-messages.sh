#!/usr/bin/env bash
# tshark 4.0.17 (Debian), -z sctp,stat: I-DATA, FORWARD TSN, SHUTDOWN and others are in no column of its table.
#
# Guess: the table has each chunk that the dissector knows by name, or a column for the rest, so that its columns add up to all
#   chunks; I-DATA (RFC 8260), which a WebRTC or signalling peer sends instead of DATA once both ends announce it, counts as data.
# Seen: there are ten columns, DATA to ERROR without SHUTDOWN, and none for the rest. A transfer with I-DATA has 0 messages, as if
#   nothing but SACKs had passed, and an association that was shut down looks like one that is still open; the total counts
#   their packets. The dissector itself decodes all of them.
# Source: ui/cli/tap-sctpchunkstat.c: each type has a counter (chunk_count), sctpstat_draw prints ten of them.
# Output seen: "packets 6, DATA 1, SACK 1, all columns 2", "decoded: 0 3 64 192 7 14"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
wireshark=4.0.17-0+deb12u3
apt-get download -qq {tshark,wireshark-common,libwireshark16,libwireshark-data,libwiretap13,libwsutil14}=$wireshark \
    libc-ares2=1.18.1-3 liblua5.2-0=5.2.4-3 libpcap0.8=1.10.3-1 libsmi2ldbl=0.4.8+dfsg2-16 libsnappy1v5=1.1.9-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu WIRESHARK_DATA_DIR=$folder/root/usr/share/wireshark
export HOME=$folder
tshark() { "$folder/root/usr/bin/tshark" "$@" 2>/dev/null; }
tshark --version >/dev/null || exit 2
cat >capture.py <<'PY'
import struct

out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
for count, (kind, flags, body) in enumerate((
    (0, 3, struct.pack("!IHHI", 1, 0, 0, 53) + b"data"),
    (3, 0, struct.pack("!IIHH", 7, 100000, 0, 0)),
    (64, 3, struct.pack("!IHHII", 2, 0, 0, 0, 53) + b"data"),
    (192, 0, struct.pack("!I", 3)),
    (7, 0, struct.pack("!I", 7)),
    (14, 0, b""),
)):
    packet = struct.pack("!HHIIBBH", 5000, 5000, 2, 0, kind, flags, 4 + len(body)) + body
    packet = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(packet), 0, 0, 64, 132, 0) + bytes([192, 0, 2, 1, 192, 0, 2, 2]) + packet
    out += struct.pack("<IIII", count, 0, len(packet), len(packet)) + packet
open("capture", "wb").write(out)
PY
python3 capture.py
seen=$(tshark -q -r capture -z sctp,stat | awk -F '|' '
    /Total packets/ { gsub(/[^0-9]/, "", $2); packets = $2 }
    /192.0.2.1/ {
        for (column = 6; column < NF; column++) sum += $column
        print "packets " packets ", DATA " $6 + 0 ", SACK " $7 + 0 ", all columns " sum
    }'
    echo "decoded: $(tshark -r capture -T fields -e sctp.chunk_type | xargs)")
echo "$seen"
[ "$seen" = "packets 6, DATA 1, SACK 1, all columns 2
decoded: 0 3 64 192 7 14" ] || { echo "changed" >&2; exit 1; }
