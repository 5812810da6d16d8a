#!/usr/bin/env bash
# scapy 2.8.0 and dpkt 1.9.8 take all 32 bits of a pcap file's network field for its link type.
#
# Guess: a capture of Ethernet frames is read as Ethernet whatever the upper bits say: only the lower 16 are the type,
#   the top four the length of the frame check sequence in 16-bit words, bit 26 that the length is known.
# Seen: with 0x24000001 (Ethernet, four bytes of FCS, as some capture cards write) scapy warns and gives raw bytes, so
#   that no filter for SCTP matches; dpkt's `datalink()` is 603979777, and a program that compares it with DLT_EN10MB
#   refuses the file. Both read the same file with the field 1.
# Source: scapy/utils.py, RawPcapReader; dpkt/pcap.py; draft-ietf-opsawg-pcap §4 (file header).
# Output seen: "scapy: Raw dpkt: 603979777", then "scapy: Ether dpkt: 1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" --quiet --disable-pip-version-check install scapy==2.8.0 dpkt==1.9.8
seen=$(cd "$folder" && v/bin/python -W ignore -c '
import struct
import dpkt
from scapy.all import rdpcap
frame = bytes.fromhex("0200000000020200000000010800" "45000024000100004084" "0000" "7f0000017f000001"
    "138813880000000a00000000" "0b000004") + bytes(4)
for network in 0x24000001, 1:
    with open("f.pcap", "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, network))
        file.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)
    kind = type(rdpcap("f.pcap")[0]).__name__
    print("scapy:", kind, "dpkt:", dpkt.pcap.Reader(open("f.pcap", "rb")).datalink())' 2>/dev/null)
echo "$seen"
[ "$seen" = $'scapy: Raw dpkt: 603979777\nscapy: Ether dpkt: 1' ] || { echo "changed" >&2; exit 1; }
