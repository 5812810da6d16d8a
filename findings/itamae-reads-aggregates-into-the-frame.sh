#!/usr/bin/env bash
# itamae 0.1.1 (PyPI): the A-MPDU field of radiotap is read as twelve octets in place of eight, the last of them from the frame behind the header.
#
# Guess: the field has a reference number of 32 bits, flags of 16 and two octets (radiotap.org, "A-MPDU status"); the frames of one aggregate have one
#   number, by which a tool groups them, and bit 3 of the flags marks the last.
# Seen: the number is read as C's long, which has 64 bits on Linux and macOS with 64 bits: flags and reserved octet are the upper half of the number, and
#   the flags are the first octets of the 802.11 frame. Two frames of one aggregate, of which the second is the last, have two
#   numbers. A header without a frame behind it is an error. Fields in front are right, and MCS and antenna as well.
# Source: itamae/radiotap.py, _P2F_ ('a-mpdu','LHBB') and FMT_BO ("@", native sizes).
# Output seen: "number 77, flags 4: number 17179869261, flags 392", "number 77, flags 12: number 51539607629, flags 392"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v itamae==0.1.1 || exit 2
cat >run.py <<'PY'
import struct
from itamae import radiotap

data = bytes.fromhex("88010000") + bytes(22)  # the beginning of a QoS data frame
for flags in (4, 12):
    field = struct.pack("<IHBB", 77, flags, 0, 0)
    packet = struct.pack("<BBHI", 0, 0, 8 + len(field), 1 << 20) + field + data
    number, read, *_ = radiotap.parse(packet)["a-mpdu"]
    print(f"number 77, flags {flags}: number {number}, flags {read}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "number 77, flags 4: number 17179869261, flags 392
number 77, flags 12: number 51539607629, flags 392" ] || { echo "changed" >&2; exit 1; }
