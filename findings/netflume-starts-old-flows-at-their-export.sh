#!/usr/bin/env bash
# netflume 0.6.0 (PyPI): in a recorded capture of NetFlow v5 or v9 each flow begins when its message was sent, not when it began.
#
# Guess: the start is computed from the header: export time minus how long ago the flow began by the exporter's uptime. What is
#   read is the same today and next week, since the documentation names datagrams out of a pcap as an input.
# Seen: the result is dropped if it lies more than a day from the clock of the machine that reads, a guard against wrapped
#   uptimes. So all flows of a message from an older file have one start, the export time, and an end behind it: a flow from
#   -600 s to -30 s is shown from 0 to 570 s after its export. Nothing tells. With now= (the caller's part to know) it is right.
# Why it matters: rates over time out of archives are shifted by the active timeout (minutes), and ends lie in the future.
# Source: netflume/parse.py, flow_timestamp (abs(candidate - now) < 86400), and Flow.from_record, which passes no time of its own.
# Output seen: "of today: starts -600.0 s, ends -30.0 s", "of last week: starts 0.0 s, ends 570.0 s",
#   "of last week, now given: starts -600.0 s, ends -30.0 s"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip --quiet --disable-pip-version-check install --target lib netflume==0.6.0 || exit 2
cat >run.py <<'PY'
import socket
import struct
import time

from netflume.flow import Flow
from netflume.parse import parse_v5

def shown(name, export, **given):
    uptime = 3_600_000
    header = struct.pack("!HHIIIIBBH", 5, 1, uptime, export, 0, 1, 0, 0, 0)
    record = struct.pack("!4s4s4sHHIIIIHHBBBBHHBBH", socket.inet_aton("192.0.2.1"), socket.inet_aton("198.51.100.1"), bytes(4),
                         1, 2, 1000, 500_000, uptime - 600_000, uptime - 30_000, 2905, 2905, 0, 0, 132, 0, 0, 0, 0, 0, 0)
    head, flows, _ = parse_v5(header + record, "192.0.2.254")
    flow = Flow.from_record(flows[0], head, **given)
    print(f"{name}: starts {flow.start - export:.1f} s, ends {flow.end - export:.1f} s")

now = int(time.time())
week = now - 7 * 86400
shown("of today", now - 60)
shown("of last week", week)
shown("of last week, now given", week, now=week)
PY
seen=$(PYTHONPATH=lib python3 run.py)
echo "$seen"
[ "$seen" = "of today: starts -600.0 s, ends -30.0 s
of last week: starts 0.0 s, ends 570.0 s
of last week, now given: starts -600.0 s, ends -30.0 s" ] || { echo "changed" >&2; exit 1; }
