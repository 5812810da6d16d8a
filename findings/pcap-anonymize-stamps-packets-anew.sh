#!/usr/bin/env bash
# pcap-anonymize 0.3.0 (PyPI, with scapy 2.6.1): the anonymized file has the times of the anonymizing, and no wrong checksum.
#
# Guess: what the README lists is changed, MAC addresses and fields of some applications; a UDP or SCTP packet without them
#   has its own time, and its checksum as it was on the wire, which need not change with a MAC address.
# Seen: each packet is built anew, without its time, and scapy writes the present. Delays, rates and retransmissions of the
#   capture are gone, without a word: ten seconds of traffic happen within milliseconds. Checksums are computed again, so
#   that a file that shows corruption on a path shows none. Who shares a capture to show a fault shares another one.
# Source: pcap_anonymize/pcap_anonymize.py, rebuild_packet: packet.__class__(bytes(packet)) takes no time over.
# Output seen: "before: ten seconds apart, in 2023 True, checksums deadbeef 00000000", "after: other seconds apart, in 2023 False,
#   checksums 41bf8529 41bf8529"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install pcap-anonymize==0.3.0 scapy==2.6.1 || exit 2
cat >run.py <<'PY'
import struct
from pcap_anonymize import anonymize_pcap

frames = b""
for place, checksum in enumerate(("deadbeef", "00000000")):
    packet = bytes.fromhex("13880b5900000002" + checksum + "0003001400000001000000000000000064617461")
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(packet), 0, 0, 64, 132, 0) + bytes([192, 0, 2, 1, 192, 0, 2, 2])
    frame = bytes.fromhex("020000000002" "020000000001" "0800") + head + packet
    frames += struct.pack("<IIII", 1_700_000_000 + 10 * place, 0, len(frame), len(frame)) + frame
open("before", "wb").write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + frames)
anonymize_pcap("before", "after")
for name in ("before", "after"):
    file = open(name, "rb").read()
    times, sums, place = [], [], 24
    while place < len(file):
        seconds, _, length, _ = struct.unpack("<IIII", file[place : place + 16])
        times.append(seconds)
        sums.append(file[place + 16 + 42 : place + 16 + 46].hex())
        place += 16 + length
    year = all(1_672_531_200 <= time < 1_704_067_200 for time in times)
    print(f"{name}: {'ten' if times[1] - times[0] == 10 else 'other'} seconds apart, in 2023 {year}, checksums", *sums)
PY
seen=$(v/bin/python run.py 2>/dev/null)
echo "$seen"
[ "$seen" = "before: ten seconds apart, in 2023 True, checksums deadbeef 00000000
after: other seconds apart, in 2023 False, checksums 41bf8529 41bf8529" ] || { echo "changed" >&2; exit 1; }
