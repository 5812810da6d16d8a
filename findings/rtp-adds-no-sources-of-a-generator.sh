#!/usr/bin/env bash
# rtp 0.0.4 (PyPI): contributing sources that come from a generator or a map are not added to a packet, and nothing says so.
#
# Guess: csrcList.extend() takes any iterable, as its annotation (Iterable[int]) and its text ("all the CSRCs from the iterable") say and as the
#   method of Python's lists does; a mixer's line "extend(s.ssrc for s in active)" writes them all.
# Seen: the length is counted by making a list of what was given, which uses up whatever can be read once only; the loop behind it finds
#   nothing. The packet has a count of zero and no sources, and no error is raised. += and + go the same way, so that "+= map(int, ...)" adds
#   none either. Lists and tuples are right.
# Source: rtp/csrcList.py, CSRCList.extend (len(list(value)) before the loop).
# Output seen: "list: 2, 82", "generator: 0, 80", "+= map: 0" (the numbers of sources, and the first octet)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v rtp==0.0.4 || exit 2
cat >run.py <<'PY'
from rtp import RTP, CSRCList

def show(name, sources):
    packet = RTP(sequenceNumber=1, timestamp=2, ssrc=3)
    packet.csrcList.extend(sources)
    print(f"{name}: {len(packet.csrcList)}, {bytes(packet)[:1].hex()}")

show("list", [5, 6])
show("generator", (source for source in (5, 6)))
joined = CSRCList()
joined += map(int, ("5", "6"))
print(f"+= map: {len(joined)}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "list: 2, 82
generator: 0, 80
+= map: 0" ] || { echo "changed" >&2; exit 1; }
