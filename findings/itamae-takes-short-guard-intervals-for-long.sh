#!/usr/bin/env bash
# itamae 0.1.1 (PyPI): a frame with a short guard interval gets the rate of the long one, and one with the long interval that of the short.
#
# Guess: RTAP.rate is the rate of an 802.11n frame by the MCS field of radiotap, whose bit for the guard interval is 1 for the short one of 400 ns
#   (radiotap.org, "MCS"; the package's own MCS_GI_SHORT is 1): index 7 in 20 MHz is 65 Mbit/s, and 72.2 with the short one (IEEE 802.11, table of
#   MCS parameters).
# Seen: the two are changed over, since the function that knows the rates has "0 for short, 1 for long" and is given radiotap's bit. All 32
#   indices are 10 per cent too high without the short interval and too low with it, each a rate that exists. Frames of the older kinds,
#   whose rate stands in the header, are right.
# Source: itamae/radiotap.py, RTAP.rate; itamae/mcs.py, mcs_rate.
# Output seen: "802.11g: 6.0", "MCS 7, long: 72.2", "MCS 7, short: 65"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v itamae==0.1.1 || exit 2
cat >run.py <<'PY'
import struct
from itamae import radiotap

def header(bit, field):
    return struct.pack("<BBHI", 0, 0, 8 + len(field), 1 << bit) + field

print(f"802.11g: {radiotap.parse(header(2, bytes([12]))).rate}")
for name, flags in (("long", 0), ("short", 4)):
    # known: bandwidth, index, guard interval
    print(f"MCS 7, {name}: {radiotap.parse(header(19, bytes([7, flags, 7]))).rate}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "802.11g: 6.0
MCS 7, long: 72.2
MCS 7, short: 65" ] || { echo "changed" >&2; exit 1; }
