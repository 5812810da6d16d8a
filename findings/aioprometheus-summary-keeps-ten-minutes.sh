#!/usr/bin/env bash
# aioprometheus-summary 0.1.0 (PyPI): the window of its quantiles is ten minutes, whatever max_age_seconds is set to.
#
# Guess: Summary(.., max_age_seconds=1, age_buckets=2) forgets a delay about a second after it was observed, as the README describes ("you can
#   configure this values").
# Seen: the two settings are kept as attributes and do not reach the estimator, which is made with the quantiles alone and its own ten minutes and
#   five buckets. So the p99 of a service with a window of 30 s is that of ten minutes: an outage stays in it long after its
#   end, and an alarm that asks for it goes off late and ends late. The estimator itself, of the same author, heeds them.
# Source: aioprometheus_summary/__init__.py, Summary.add: TimeWindowEstimator(*self.invariants).
# Output seen: "set 1 s in 2 buckets, has 600 s in 5 buckets", "after 2.2 s: 4.7", "estimator after 2.2 s: forgotten"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v aioprometheus-summary==0.1.0 aioprometheus==23.12.0 quantile-estimator==0.1.3 \
    >/dev/null 2>&1 || exit 2
cat >run.py <<'PY'
import math
import time

from aioprometheus_summary import Summary
from quantile_estimator import TimeWindowEstimator

summary = Summary("delay_seconds", "Delays", max_age_seconds=1, age_buckets=2)
summary.observe({}, 4.7)
estimator = TimeWindowEstimator((0.5, 0.05), max_age_seconds=1, age_buckets=2)
estimator.observe(4.7)
inner = summary.get_value({})
print(f"set {summary.max_age_seconds} s in {summary.age_buckets} buckets, has {inner.max_age_seconds} s in {inner.age_buckets} buckets")
time.sleep(2.2)
print(f"after 2.2 s: {inner.query(0.5)}")
left = estimator.query(0.5)
print("estimator after 2.2 s:", "forgotten" if math.isnan(left) or left == 0 else left)
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "set 1 s in 2 buckets, has 600 s in 5 buckets
after 2.2 s: 4.7
estimator after 2.2 s: forgotten" ] || { echo "changed" >&2; exit 1; }
