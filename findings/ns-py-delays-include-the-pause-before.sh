#!/usr/bin/env bash
# ns.py 0.4.3 (PyPI): the delays of its sink include the time between two packets, and each arrival is in its list twice.
#
# Guess: packets of DistPacketGenerator, one each 250 ms, that cross a Wire of 10 ms have `waits` of 0.01 at PacketSink; `arrivals`
#   has a time for each packet, or with absolute_arrivals=False the time since the last one, and first_arrival the first.
# Seen: each wait is 0.26: the generator stamps a packet, pauses, and then sends it. With Poisson traffic the pauses, not the queue, are
#   most of the "delay", and a lower load has the larger one. Arrivals are written by both of the options rec_waits and
#   rec_arrivals, which are on: a rate from the list is twice that of packets_received, the list of differences holds a time
#   and a difference in turn, and first_arrival stays empty. With rec_waits=False the list is right.
# Source: ns/packet/dist_generator.py, run (Packet before the timeout); ns/packet/sink.py, put.
# Output seen: "4 packets, waits [0.26, 0.26, 0.26, 0.26], arrivals [0.26, 0.26, 0.51, 0.51, 0.76, 0.76, 1.01, 1.01], first none"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install ns.py==0.4.3 simpy==4.1.2 || exit 2
cat >run.py <<'PY'
import simpy
from ns.packet.dist_generator import DistPacketGenerator
from ns.packet.sink import PacketSink
from ns.port.wire import Wire

for options in ({}, {"absolute_arrivals": False}, {"rec_waits": False}):
    environment = simpy.Environment()
    source = DistPacketGenerator(environment, "source", lambda: 0.25, lambda: 1000, finish=1)
    wire = Wire(environment, lambda: 0.01)
    sink = PacketSink(environment, **options)
    source.out, wire.out = wire, sink
    environment.run(until=10)
    waits, arrivals = ([round(time, 3) for time in times[0]] for times in (sink.waits, sink.arrivals))
    first = round(sink.first_arrival[0], 3) if 0 in sink.first_arrival else "none"
    print(f"{options}: {sink.packets_received[0]} packets, waits {waits}, arrivals {arrivals}, first {first}")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "{}: 4 packets, waits [0.26, 0.26, 0.26, 0.26], arrivals [0.26, 0.26, 0.51, 0.51, 0.76, 0.76, 1.01, 1.01], first none
{'absolute_arrivals': False}: 4 packets, waits [0.26, 0.26, 0.26, 0.26], arrivals [0.26, 0.26, 0.51, 0.25, 0.76, 0.25, 1.01, 0.25], first none
{'rec_waits': False}: 4 packets, waits [], arrivals [0.26, 0.51, 0.76, 1.01], first 0.26" ] || { echo "changed" >&2; exit 1; }
