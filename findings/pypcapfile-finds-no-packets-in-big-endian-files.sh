#!/usr/bin/env bash
# pypcapfile 0.12.0 (PyPI): a big-endian capture has no packets, a packet without captured bytes is the last one, padding is IP payload.
#
# Guess: a pcap file of a big-endian machine (network processors, older Solaris and AIX boxes, as signalling gateways have) is read as a little-endian
#   one is; the library finds out the order and shows it in header.byteorder. The payload of IP ends where its total length says.
# Seen: with Python 3 the order, kept as bytes, is compared with a str, so that packet headers are always read as little-endian, the length is
#   too large for the file, and the reading ends: no packet, no error. A record with nothing captured ends it too, for all behind. Of a short
#   packet on Ethernet, as one with a SHUTDOWN ACK of SCTP is (36 bytes), the padding of the frame to 60 bytes is in the payload.
# Source: pcapfile/savefile.py, _read_a_packet (byteorder == 'big', "not raw_packet_data"); pcapfile/protocols/network/ip.py, IP.__init__.
# Output seen: "little: 2 packets", "big: 0 packets", "one without bytes: 1 packets of 3", "payload: 26 of 16 bytes"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v pypcapfile==0.12.0 >/dev/null 2>&1 || exit 2
cat >run.py <<'PY'
import struct

from pcapfile import savefile


def packets(order, frames, layers=0):
    with open("a.pcap", "wb") as file:
        file.write(struct.pack(order + "IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for frame in frames:
            file.write(struct.pack(order + "IIII", 1000, 0, len(frame), len(frame)) + frame)
    with open("a.pcap", "rb") as file:
        return savefile.load_savefile(file, layers=layers).packets


sctp = struct.pack(">HHII", 2905, 2905, 1, 0) + struct.pack(">BBH", 8, 0, 4)
ip = struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(sctp), 1, 0, 64, 132, 0, 0x0A000001, 0x0A000002) + sctp
frame = (bytes.fromhex("0200000000010200000000020800") + ip).ljust(60, b"\0")
print("little:", len(packets("<", [frame, frame])), "packets")
print("big:", len(packets(">", [frame, frame])), "packets")
print("one without bytes:", len(packets("<", [frame, b"", frame])), "packets of 3")
(packet,) = packets("<", [frame], layers=2)
print(f"payload: {len(packet.packet.payload.payload) // 2} of {packet.packet.payload.len - 20} bytes")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "little: 2 packets
big: 0 packets
one without bytes: 1 packets of 3
payload: 26 of 16 bytes" ] || { echo "changed" >&2; exit 1; }
