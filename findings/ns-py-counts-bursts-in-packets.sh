#!/usr/bin/env bash
# ns.py 0.4.3 (PyPI): of its Pareto on/off source the "off" time is in seconds, the "on" time is a number of packets.
#
# Guess: on_min and off_min, "scale parameter" of both, are times, as in the source of ns-2 that has the same name and the
#   same shape 1.5 (burst_time_, idle_time_): with 1 s and shape 3 for both (a mean of 1.5 s) the source sends half of the time, so that the load is
#   half of on_rate, here 400 of 800 kbit/s.
# Seen: 18 kbit/s. The length of a burst, drawn from on_min and on_alpha, is rounded up and counts packets: two or three of them,
#   whatever the rate is, and 1.5 s of silence. on_min=100, for 1 s of packets of 1000 bytes at this rate, gives the load that was meant.
# Source: ns/utils/generators/pareto_onoff_generator.py, next_burstlen.
# Output seen: "on_min 1: 18 kbit/s", "on_min 100: 405 kbit/s"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install ns.py==0.4.3 simpy==4.1.2 numpy==2.1.3 || exit 2
cat >run.py <<'PY'
import random
from ns.utils.generators.pareto_onoff_generator import pareto_onoff_generator

for minimum in (1, 100):
    random.seed(1)
    source = pareto_onoff_generator(on_min=minimum, on_alpha=3, off_min=1, off_alpha=3, on_rate=800_000, pktsize=1000)
    now = packets = 0
    while now < 100_000:
        now += next(source)
        packets += 1
    print(f"on_min {minimum}: {packets * 8 / now:.0f} kbit/s")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "on_min 1: 18 kbit/s
on_min 100: 405 kbit/s" ] || { echo "changed" >&2; exit 1; }
