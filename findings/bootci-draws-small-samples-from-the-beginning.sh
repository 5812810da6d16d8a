#!/usr/bin/env bash
# bootci 1.0.1 (PyPI): with a sample_size below the number of measurements the later ones are never drawn.
#
# Guess: sample_size is the "size of resampling sample": that many are drawn, each from all measurements, as bootstrap-interval (PyPI), which it is adapted
#   from, does it. Of 1,000 paired scores 100 are drawn from the 1,000.
# Seen: the places are drawn from 0 to sample_size - 1: of 1,000 the first 100 alone. If a system became worse over time, the interval does not hold the
#   difference that was measured: all resampled differences are those of the beginning. With None, the default, all is well.
# Source: BootCI/paired_bootstrap_interval.py, get_distribution (randint(self.sample_size, ...)).
# Output seen: "difference 0.10", "sample_size None: highest place drawn 999, interval 0.08 to 0.12", "sample_size 100: highest place drawn 99, interval 0.00 to 0.00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v numpy==1.26.4 scipy==1.13.1 || exit 2
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v bootci==1.0.1 || exit 2
cat >run.py <<'PY'
import numpy as np
from BootCI.paired_bootstrap_interval import Bootstrap

truth = np.arange(1000)
second = np.zeros(1000)
first = np.where(np.arange(1000) >= 900, 1.0, 0.0)
print(f"difference {(first - second).mean():.2f}")
for size in None, 100:
    np.random.seed(7)
    drawn = []
    resampling = Bootstrap(first, second, truth, stat=lambda scores, places: drawn.append(places.max()) or scores.mean(), n_iter=500, sample_size=size)
    drawn.clear()
    low, high = resampling.get_confidence_interval(0.05, method="sampling")
    print(f"sample_size {size}: highest place drawn {max(drawn)}, interval {low:.2f} to {high:.2f}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "difference 0.10
sample_size None: highest place drawn 999, interval 0.08 to 0.12
sample_size 100: highest place drawn 99, interval 0.00 to 0.00" ] || { echo "changed" >&2; exit 1; }
