#!/usr/bin/env bash
# sip-ladder 2026.5.25.6 (PyPI): captures of a tunnel, and of all interfaces by a current tcpdump, have no calls.
#
# Guess: raw IP and Linux cooked captures, both of which the source lists as known, are read whatever made them. A file of raw IP has the link type 101
#   (LINKTYPE_RAW), one of "-i any" has 276 (LINKTYPE_LINUX_SLL2) since tcpdump 4.99 with libpcap 1.10.
# Seen: the number in the file is compared with 12, which is what BSD's and Linux's headers call raw IP inside a program (DLT_RAW) and which is not
#   written into files; and 276 is not known. Each packet is passed over without a word, and the diagram is empty: "no calls" for who traces
#   a VPN or a container. Ethernet, BSD loopback and the older cooked type 113 are right.
# Source: sip_ladder/pcap.py, DLT_RAW = 12 and _peel_link_layer.
# Output seen: "raw IP, 101: nothing", "cooked 2, 276: nothing", "cooked, 113: OPTIONS"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v sip-ladder==2026.5.25.6 dpkt==1.9.8 || exit 2
cat >run.py <<'PY'
import struct
from sip_ladder.pcap import read_pcap_packets

sip = "\r\n".join(["OPTIONS sip:b@192.0.2.2 SIP/2.0", "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1", "From: <sip:a@192.0.2.1>;tag=1",
                   "To: <sip:b@192.0.2.2>", "Call-ID: 1", "CSeq: 1 OPTIONS", "Content-Length: 0", "", ""]).encode()
udp = struct.pack("!HHHH", 5060, 5060, 8 + len(sip), 0) + sip
ip = struct.pack("!BBHHHBBH8B", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, 192, 0, 2, 1, 192, 0, 2, 2) + udp
for name, link, head in (
    ("Ethernet", 1, bytes(12) + b"\x08\x00"),
    ("cooked", 113, struct.pack("!HHH8xH", 0, 1, 6, 0x0800)),
    ("cooked 2", 276, struct.pack("!HHIHBB8x", 0x0800, 0, 1, 1, 0, 6)),
    ("raw IP", 101, b""),
):
    packet = head + ip
    with open("capture.pcap", "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link) + struct.pack("<IIII", 1, 0, len(packet), len(packet)) + packet)
    print(f"{name}, {link}: {', '.join(found.message.summary for found in read_pcap_packets('capture.pcap')) or 'nothing'}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "Ethernet, 1: OPTIONS
cooked, 113: OPTIONS
cooked 2, 276: nothing
raw IP, 101: nothing" ] || { echo "changed" >&2; exit 1; }
