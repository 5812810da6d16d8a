#!/usr/bin/env bash
# hdrhistogram 0.10.8 (PyPI): the correction for coordinated omission records values that are shorter than the expected interval.
#
# Guess: as in the Java and C libraries of the same name, a value of 1050 with an expected interval of 100 stands for itself
#   and the requests that it held back: 950, 850, ... 150. A request that would have waited less than an interval was not held
#   back, so that the last one is at least 100 (Java: `missingValue >= expectedIntervalBetweenValueSamples`).
# Seen: one more sample is recorded, the rest, 50. With intervals of 100 and pauses that are no multiple of them, values come
#   up that were never measured and could not be: the minimum of samples that all took at least 90 is 3, and low percentiles
#   and the mean are too small, the count too large. hdrpy 0.3.3 has the same loop.
# Source: hdrh/histogram.py, record_corrected_value (it ends at value <= expected_interval, after the value was recorded).
# Output seen: "1050: 1050 950 850 750 650 550 450 350 250 150 50", "1000: 1000 900 800 700 600 500 400 300 200 100", "minimum
#   of 90 and 103: 3"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip --quiet --disable-pip-version-check install --target lib --no-deps hdrhistogram==0.10.8 || exit 2
cat >run.py <<'PY'
from hdrh.histogram import HdrHistogram

for value in (1050, 1000):
    histogram = HdrHistogram(1, 1_000_000, 3)
    histogram.record_corrected_value(value, 100)
    values = [one.value_iterated_to for one in histogram.get_recorded_iterator()]
    print(f"{value}:", *reversed(values))
histogram = HdrHistogram(1, 1_000_000, 3)
for value in (90, 103):
    histogram.record_corrected_value(value, 100)
print("minimum of 90 and 103:", histogram.get_min_value())
PY
seen=$(PYTHONPATH=lib python3 run.py)
echo "$seen"
[ "$seen" = "1050: 1050 950 850 750 650 550 450 350 250 150 50
1000: 1000 900 800 700 600 500 400 300 200 100
minimum of 90 and 103: 3" ] || { echo "changed" >&2; exit 1; }
