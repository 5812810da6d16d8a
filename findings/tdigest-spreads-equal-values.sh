#!/usr/bin/env bash
# tdigest 0.5.2.2 (PyPI): where most values are equal, percentiles lie far from all of them, and the first one is below the minimum.
#
# Guess: 1000 round trips of 5 ms and 10 of 900 ms: the percentiles 50, 75 and 90 are 5, as 99 of 100 values are, and what a t-digest
#   blurs is the step at 99. Of 1, 2, 3, 4 and 100 ms the lowest percentile is 1.
# Seen: 13.9, 461.4 and 729.9 ms, and for 1 % of five values 0.55. Equal values share one centroid, and percentile() draws a
#   line from the middle of a centroid to that of the next, whatever the weight. cdf(5) is 0.495, so the share of packets within
#   5 ms comes out as half. Clocks of milliseconds, sizes of packets (1500, 1500, 40) and counts all have such data, whereas
#   random numbers, with which the package is tested, have none. fastdigest 0.12.0, which keeps them apart, says 5.
# Source: tdigest/tdigest.py, percentile and cdf.
# Output seen: "tdigest: 50 % 13.9, 75 % 461.4, 90 % 729.9, within 5 ms 0.495", "five values: 1 % 0.55"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install tdigest==0.5.2.2 fastdigest==0.12.0 || exit 2
cat >run.py <<'PY'
import fastdigest
import tdigest

times = [5] * 1000 + [900] * 10
digest = tdigest.TDigest()
digest.batch_update(times)
shown = ", ".join(f"{percent} % {digest.percentile(percent):.1f}" for percent in (50, 75, 90))
print(f"tdigest: {shown}, within 5 ms {digest.cdf(5):.3f}")
other = fastdigest.TDigest.from_values(times)
print("fastdigest:", ", ".join(f"{percent} % {other.percentile(percent):.1f}" for percent in (50, 75, 90)))
five = tdigest.TDigest()
five.batch_update([1, 2, 3, 4, 100])
print(f"five values: 1 % {five.percentile(1):.2f}")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "tdigest: 50 % 13.9, 75 % 461.4, 90 % 729.9, within 5 ms 0.495
fastdigest: 50 % 5.0, 75 % 5.0, 90 % 5.0
five values: 1 % 0.55" ] || { echo "changed" >&2; exit 1; }
