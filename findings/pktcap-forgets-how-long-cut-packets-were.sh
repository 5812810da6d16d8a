#!/usr/bin/env bash
# pktcap 0.1.3 (PyPI): a capture that was cut at a snap length comes out of a copy as one of small packets, whole in themselves.
#
# Guess: a frame is "written back as it is"; a record has two lengths, of what was captured and of what was on the wire
#   (draft-ietf-opsawg-pcap §5, the same in §4.3 of the pcapng draft), and a copy has both.
# Seen: a frame has no second length. The copy says that 64 bytes were on the wire where 1514 were. From then on tools count 4
#   % of the traffic, and take the IP length for wrong instead of the packet for cut. The documentation says that a copy
#   "keeps every frame, link type and time" and lacks the options alone.
# Source: pktcap/_container.py, _pcap and _packet (`_original` is unused), pktcap/_writer.py, _emit (len(data) twice).
# Output seen: "pcap: captured 64, on the wire 1514 -> captured 64, on the wire 64", the same for pcapng
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip --quiet --disable-pip-version-check install --target lib pktcap==0.1.3 || exit 2
cat >run.py <<'PY'
import io
import struct

from pktcap import PcapngWriter, PcapWriter, read_frames

cut = bytes(12) + b"\x08\x00" + struct.pack("!BBHHHBBH4s4s", 0x45, 0, 1500, 0, 0x4000, 64, 132, 0, bytes([192, 0, 2, 1]),
                                            bytes([192, 0, 2, 2])) + bytes(30)
old = io.BytesIO(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 64, 1) + struct.pack("<IIII", 1, 0, 64, 1514) + cut)
frames = list(read_frames(old))
for name, writer, place in (("pcap", PcapWriter, 24 + 8), ("pcapng", PcapngWriter, 28 + 20 + 8 + 12)):
    copy = io.BytesIO()
    writer(copy).write_frame(frames[0])
    captured, original = struct.unpack_from("<II", copy.getvalue(), place)
    print(f"{name}: captured {len(cut)}, on the wire 1514 -> captured {captured}, on the wire {original}")
PY
seen=$(PYTHONPATH=lib python3 run.py)
echo "$seen"
[ "$seen" = "pcap: captured 64, on the wire 1514 -> captured 64, on the wire 64
pcapng: captured 64, on the wire 1514 -> captured 64, on the wire 64" ] || { echo "changed" >&2; exit 1; }
