#!/usr/bin/env bash
# c2percentiles 0.1.1 (PyPI): by its type 5 the lowest percentiles fall while the probability rises, and by type 1 some are one sample too high.
#
# Guess: type 5 of Hyndman and Fan ("Sample quantiles in statistical packages", 1996) is piecewise linear with the k-th sample at (k - 1/2) / n and, as in R and in
#   NumPy's "hazen", the smallest sample below 1 / 2n; type 1 is the smallest sample with at least the share p at or below it. Quantiles never fall.
# Seen: below 1 / 2n the place is moved up to the first sample, but the rest of the division is not: of 1 to 10 the 1st percentile is 1.6, the 4th 1.9, the
#   5th 1. In type 1 n times p is rounded up as it comes: 100 times 0.55 is 55.000000000000007, so that the 55th percentile of 1 to 100 is 56.
# Source: C2Percentiles/percentiles.py, qtype5 (g before j is limited), qtype1 (np.ceil(n * p), without the tolerance of R's quantile()).
# Output seen: "type 5 of 1 to 10: 1.6 1.9 1.0, NumPy: 1.0 1.0 1.0", "type 1 of 1 to 100: 55% is 56", "type 1, too high: [7, 14, 28, 55, 56]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v numpy==1.26.4 pandas==2.2.3 2>/dev/null || exit 2
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v c2percentiles==0.1.1 || exit 2
cat >run.py <<'PY'
import numpy as np
from C2Percentiles import quantile_custom

few, many = np.arange(1, 11), np.arange(1, 101)
shares = [0.01, 0.04, 0.05]
mine, theirs = quantile_custom(few, shares, qtype=5), np.quantile(few, shares, method="hazen")
print(f"type 5 of 1 to 10: {' '.join(f'{value:.1f}' for value in mine)}, NumPy: {' '.join(f'{value:.1f}' for value in theirs)}")
print(f"type 1 of 1 to 100: 55% is {quantile_custom(many, 0.55, qtype=1).iloc[0]}")
shares = [percent / 100 for percent in range(1, 100)]
high = [percent for percent, value in enumerate(quantile_custom(many, shares, qtype=1), 1) if value > percent]
print(f"type 1, too high: {high}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "type 5 of 1 to 10: 1.6 1.9 1.0, NumPy: 1.0 1.0 1.0
type 1 of 1 to 100: 55% is 56
type 1, too high: [7, 14, 28, 55, 56]" ] || { echo "changed" >&2; exit 1; }
