#!/usr/bin/env bash
# editcap 4.0.17 (Debian, Wireshark): -F erf writes a file with one record about editcap and refuses the first packet.
#
# Guess: ERF (Endace) is in the list of formats that `editcap -F` prints as writable; an Ethernet capture becomes one of
#   Ethernet records, as traceconvert of libtrace makes it. Captures that have no record type in ERF, raw IP say, are refused
#   before anything is written.
# Seen: Ethernet and PPP pass that test ("raw IP can't be written as erf" is the answer for link type 101). A record of 128
#   bytes with the name and version of editcap is written, and then the first packet "has a record type that can't be saved".
#   The exit status is 2, but the file is there, and each reader takes it for a capture of one packet, from 1970.
# Source: wiretap/erf.c, erf_dump and erf_dump_priv_init_gen_meta.
# Output seen: "Ethernet: Record 1 of file "Ethernet" has a record type that can't be saved in a "erf" file., 128 bytes, 1
#   packet", "raw IP: The capture file being read can't be written as a "erf" file., no file"
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

ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 46, 0, 0x4000, 64, 132, 0, bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2])) + bytes(26)
for name, link, frame in (("Ethernet", 1, bytes(12) + b"\x08\x00" + ip), ("PPP", 9, b"\xff\x03\x00\x21" + ip), ("raw IP", 101, ip)):
    with open(name, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link))
        out.write(struct.pack("<IIII", 1764547200, 0, len(frame), len(frame)) + frame)
PY
listed=$("$bin/editcap" -F 2>&1 | grep -o ' erf - .*' || true)
tried() {
    rm -f out
    local text
    text=$("$bin/editcap" -F erf "$1" out 2>&1 | sed 's/^editcap: //' | head -1)
    echo "$1: $text, $([ -e out ] && echo "$(wc -c <out) bytes, $(
        "$bin/capinfos" -Mrc out | sed -n 's/^.*packets.*: *//p' | head -1) packet" || echo no file)"
}
seen="listed:$listed
$(tried Ethernet && tried PPP && tried "raw IP")"
echo "$seen"
[ "$seen" = "listed: erf - Endace ERF capture
Ethernet: Record 1 of file \"Ethernet\" has a record type that can't be saved in a \"erf\" file., 128 bytes, 1 packet
PPP: Record 1 of file \"PPP\" has a record type that can't be saved in a \"erf\" file., 128 bytes, 1 packet
raw IP: The capture file being read can't be written as a \"erf\" file., no file" ] || { echo "changed" >&2; exit 1; }
