#!/usr/bin/env bash
# NanoPcap 1.0.4 (PyPI): in a merged file the times of one of the two are wrong if they count different fractions of a second.
#
# Guess: a library whose point is nanoseconds converts when a file in microseconds and one in nanoseconds become one, as
#   mergecap does: the file has one unit, that of its magic number.
# Seen: the packets are put into the right order by their true times, and each is written with its fraction as it was, under
#   the first file's header. 0.25 s becomes 0.00025 s, or 0.5 s 500 s more, which no reader expects of a fraction. Half
#   of the packets jump back and forth, and the order of the arguments decides which half. No warning; there is one,
#   by option, for link types.
# Source: NanoPcap/Tools/Merge.py, main; PcapRecordHeader.writeToFile.
# Output seen: "us ns: 1000.250000000 1500.000000000 1000.750000000", "ns us: 1000.000250000 1000.500000000 1000.000750000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install NanoPcap==1.0.4 || exit 2
cat >run.py <<'PY'
import struct
import subprocess
import sys

MICROSECONDS, NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D

def write(name, magic, fractions):
    with open(name, "wb") as out:
        out.write(struct.pack("<IHHiIII", magic, 2, 4, 0, 0, 65535, 1))
        for fraction in fractions:
            out.write(struct.pack("<IIII", 1000, fraction, 60, 60) + bytes(60))

write("us", MICROSECONDS, (250_000, 750_000))
write("ns", NANOSECONDS, (500_000_000,))
for first, second in (("us", "ns"), ("ns", "us")):
    subprocess.run([sys.executable, "-m", "NanoPcap.Tools.Merge", first, second, "out"], check=True)
    file = open("out", "rb").read()
    unit = 1000 if struct.unpack("<I", file[:4])[0] == MICROSECONDS else 1
    times = []
    for place in range(24, len(file), 76):
        seconds, fraction = struct.unpack("<II", file[place : place + 8])
        time = seconds * 10**9 + fraction * unit
        times.append(f"{time // 10**9}.{time % 10**9:09}")
    print(f"{first} {second}:", *times)
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "us ns: 1000.250000000 1500.000000000 1000.750000000
ns us: 1000.000250000 1000.500000000 1000.000750000" ] || { echo "changed" >&2; exit 1; }
