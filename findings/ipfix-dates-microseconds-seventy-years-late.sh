#!/usr/bin/env bash
# ipfix 0.9.7 (PyPI): times in microseconds and nanoseconds are read seventy years late, and written seventy years early.
#
# Guess: flowStartMicroseconds and flowStartNanoseconds are read as the moment that the exporter meant, as flowStartSeconds
#   and flowStartMilliseconds are.
# Seen: the first two have NTP's format and epoch, 1900 (RFC 7011 §6.1.9, §6.1.10); the library takes the fraction as such,
#   the seconds since 1970. A flow of November 2023 begins in November 2093, and one that is written with it is in 1953 at
#   another collector. Its own round trip is right, and the other two types are.
# Source: ipfix/types.py, the encoding and decoding of dateTimeMicroseconds and dateTimeNanoseconds.
# Output seen: "flowStartSeconds 2023", "flowStartMicroseconds 2093", "flowStartNanoseconds 2093"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install ipfix==0.9.7 || exit 2
cat >run.py <<'PY'
import io
import struct
import ipfix.ie
import ipfix.reader

ipfix.ie.use_iana_default()
unix = 1700000000

def message(element, value):
    template = struct.pack("!HHHHHH", 2, 12, 256, 1, element, len(value))
    data = struct.pack("!HH", 256, 4 + len(value)) + value
    return struct.pack("!HHIII", 10, 16 + len(template + data), unix, 0, 1) + template + data

ntp = struct.pack("!II", unix + 2208988800, 1 << 30)
for element, value in ((150, struct.pack("!I", unix)), (154, ntp), (156, ntp)):
    reader = ipfix.reader.from_stream(io.BytesIO(message(element, value)))
    for record in reader.namedict_iterator():
        for name, moment in record.items():
            print(name, moment.year)
PY
seen=$(v/bin/python -W ignore run.py)
echo "$seen"
[ "$seen" = "flowStartSeconds 2023
flowStartMicroseconds 2093
flowStartNanoseconds 2093" ] || { echo "changed" >&2; exit 1; }
