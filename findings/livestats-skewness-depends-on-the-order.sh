#!/usr/bin/env bash
# LiveStats 1.0 (PyPI): the skewness of 1 2 3 4 5 is 0.63, that of 5 4 3 2 1 is -0.63, and the kurtosis of both is below all possible ones.
#
# Guess: statistics "of the data given so far" do not depend on the order of the data, but for the quantiles, which are known to be estimates:
#   a symmetric sample has skewness 0. An excess kurtosis is -2 at least (two values, each half of the time).
# Seen: each sample's third and fourth power is taken of its distance from the mean up to then, and not corrected as the mean moves, as the
#   variance is. So rising delays count as skewed to the right and falling ones to the left, one outlier at the end gives 2.3 and at the
#   beginning -0.6, and the kurtosis of 1 to 5 (-1.3) is -2.29. Mean, variance, minimum and maximum are right in any order.
# Source: livestats/livestats.py, LiveStats.add: kurt_m4 and skew_m3.
# Output seen: "1 2 3 4 5: skewness 0.63, kurtosis -2.29", "5 4 3 2 1: skewness -0.63, kurtosis -2.29", "outlier first: -0.62", "outlier last: 2.31"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v LiveStats==1.0 >/dev/null 2>&1 || exit 2
cat >run.py <<'PY'
from livestats.livestats import LiveStats

ones = [1] * 9
for name, values in (
    ("1 2 3 4 5", [1, 2, 3, 4, 5]),
    ("5 4 3 2 1", [5, 4, 3, 2, 1]),
    ("outlier first", [10] + ones),
    ("outlier last", ones + [10]),
):
    stats = LiveStats()
    for value in values:
        stats.add(value)
    print(f"{name}: variance {stats.variance():.2f}, skewness {stats.skewness():.2f}, kurtosis {stats.kurtosis():.2f}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "1 2 3 4 5: variance 2.50, skewness 0.63, kurtosis -2.29
5 4 3 2 1: variance 2.50, skewness -0.63, kurtosis -2.29
outlier first: variance 8.10, skewness -0.62, kurtosis -2.18
outlier last: variance 8.10, skewness 2.31, kurtosis 3.56" ] || { echo "changed" >&2; exit 1; }
