#!/usr/bin/env bash
# sketchlog 1.2.5 (PyPI): with an accuracy of 2 or 5 per cent the value 1 is refused as too small, and the whole batch with it.
#
# Guess: a sketch of relative accuracy takes any positive number down to the smallest of its format (DDSketch, VLDB 2019): a latency of one
#   millisecond is in a bucket whose middle is off by the accuracy at most, whatever the accuracy; 0.001 and 1000 are taken.
# Seen: 1 lies on the edge of its bucket, where the error is the accuracy exactly, and the check behind it compares the two as floats without any
#   slack: a last bit decides. add() and add_batch() raise "Value magnitude too small to satisfy relative accuracy", and no other value of the
#   batch is counted. At the default of 1 per cent the last bit falls the other way, and at 0.1, 2, 5 and 10 it does not.
# Source: sketchlog/core/ddsketch.py, DDSketch.add and add_batch (abs(rep - abs_v) / abs_v > alpha).
# Output seen: "1%: taken", "2%: Value magnitude too small to satisfy relative accuracy", "5%: Value magnitude ...",
#   "0.001 and 1000 at 2%: taken", "batch of 0.5, 1 and 2 at 2%: 0 counted"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v sketchlog==1.2.5 || exit 2
cat >run.py <<'PY'
from sketchlog import DDSketch

def add(name, sketch, values):
    try:
        sketch.add_batch(values)
        print(f"{name}: taken")
    except ValueError as error:
        print(f"{name}: {error}")

for percent in (1, 2, 5):
    add(f"{percent}%", DDSketch(percent / 100), [1.0])
add("0.001 and 1000 at 2%", DDSketch(0.02), [0.001, 1000.0])
sketch = DDSketch(0.02)
try:
    sketch.add_batch([0.5, 1.0, 2.0])
except ValueError:
    pass
print(f"batch of 0.5, 1 and 2 at 2%: {sketch.count} counted")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "1%: taken
2%: Value magnitude too small to satisfy relative accuracy
5%: Value magnitude too small to satisfy relative accuracy
0.001 and 1000 at 2%: taken
batch of 0.5, 1 and 2 at 2%: 0 counted" ] || { echo "changed" >&2; exit 1; }
