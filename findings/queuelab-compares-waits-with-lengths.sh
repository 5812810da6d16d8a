#!/usr/bin/env bash
# queuelab 0.2.0 (PyPI): the simulated length of the queue is not the length of the queue: in one class it is the wait, in the other a count of the busy period.
#
# Guess: MM1(...).simulate() of either module is what mm1_metrics() says: with 0.9 arrivals and 1 service a unit of time, 8.1 customers wait on
#   average and each for 9 units (L = lambda W, Little's law, holds for any queue); compare_mm1() sets them side by side.
# Seen: in compare.py the waits are added up a second time and called avg_queue_length: the two results are one number, and with times in another unit
#   the "length" changes with it. In mm1.py, which the package exports, a counter goes up with each customer who waits and back to zero only when the
#   server is free: near ten times of what the formula says. The waits are right in both.
# Source: queuelab/compare.py, MM1.simulate (total_queue_length); queuelab/mm1.py, MM1.simulate (queue += 1).
# Output seen: "formula: wait 9.0, queue 8.1", "compare: queue = wait True", "mm1: wait near 9 True, queue above 60 True"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v queuelab==0.2.0 || exit 2
cat >run.py <<'PY'
import random, sys, types

# The package imports matplotlib for its pictures, of which none is drawn here.
library, plots = types.ModuleType("matplotlib"), types.ModuleType("matplotlib.pyplot")
library.pyplot = plots
sys.modules.update({"matplotlib": library, "matplotlib.pyplot": plots})
import queuelab.compare, queuelab.mm1
from queuelab import mm1_metrics

formula = {name.strip(): value for name, value in mm1_metrics(0.9, 1).items()}
print(f"formula: wait {formula['avg_waiting_queue']:.1f}, queue {formula['avg_customer_queue']:.1f}")
random.seed(1)
result = queuelab.compare.MM1(0.9, 1, 200000).simulate()
print(f"compare: queue = wait {result['avg_queue_length'] == result['avg_wait_time']}")
random.seed(1)
result = queuelab.mm1.MM1(0.9, 1, 200000).simulate()
print(f"mm1: wait near 9 {8 < result['avg_wait_time'] < 10}, queue above 60 {result['avg_queue_length'] > 60}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "formula: wait 9.0, queue 8.1
compare: queue = wait True
mm1: wait near 9 True, queue above 60 True" ] || { echo "changed" >&2; exit 1; }
