#!/usr/bin/env bash
# msgpack-streams 1.1.0 (PyPI): a time with whole microseconds goes out with other nanoseconds, and other readers have a microsecond less.
#
# Guess: datetime counts in microseconds, the timestamp of MessagePack in nanoseconds: .1234 is 123400000 (MessagePack specification, "Timestamp
#   extension type").
# Seen: the time is turned into a floating-point number of seconds first, of which the last place is 240 ns in these years: .1234 is 123399972. A reader
#   that cuts to microseconds, as the msgpack package does, has .123399, and every second time is changed so. Two programs that exchange keys made of
#   times do not find them.
# Source: msgpack_streams/_msgpack.py, _pack_stream (obj.timestamp(), int((seconds_from_epoch - seconds) * 1_000_000_000)).
# Output seen: ".123400: 123399972 ns", ".500000: 500000000 ns", "4992 of 10000 times changed"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v msgpack-streams==1.1.0 msgpack==1.1.0 || exit 2
cat >run.py <<'PY'
from datetime import datetime, timezone
from io import BytesIO

import msgpack
from msgpack_streams import pack_stream

changed = 0
for microsecond in range(0, 1000000, 100):
    octets = BytesIO()
    moment = datetime(2026, 11, 30, 12, 0, 0, microsecond, timezone.utc)
    pack_stream(octets, moment)
    stamp = msgpack.unpackb(octets.getvalue())
    changed += msgpack.unpackb(octets.getvalue(), timestamp=3) != moment
    if microsecond in (500000, 123400):
        print(f".{microsecond:06d}: {stamp.nanoseconds} ns")
print(f"{changed} of 10000 times changed")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = ".123400: 123399972 ns
.500000: 500000000 ns
4992 of 10000 times changed" ] || { echo "changed" >&2; exit 1; }
