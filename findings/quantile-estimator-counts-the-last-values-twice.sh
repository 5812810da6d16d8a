#!/usr/bin/env bash
# quantile-estimator 0.1.3 (PyPI): the median of 5000 falling values is 2700 with an allowed error of one per cent, and three values are five.
#
# Guess: with [(0.50, 0.01), (0.99, 0.001)], the default, the median of 1 to 5000 is between 2450 and 2550 in whatever order they come ("the median will
#   be provided at a one percent error limit").
# Seen: a value that is smaller than all before, or greater, is put in twice: at the end and once more by the line below. It weighs double, the count of
#   observations is too large, and the bounds of the others are reckoned from it. Falling values (timers, waits behind a burst) are far off; few values
#   answer with the greater neighbor.
# Source: quantile_estimator/__init__.py, _replace_batch: no continue behind self._record(b, 1, 0, self._head) and behind the record at the end.
# Output seen: "1 to 3: median 2, 99 % 3, counted 5", "1 to 10: median 6, 99 % 10, counted 19", "1 to 5000, mixed: median 2490, 99 % 4976, counted 5520", "1 to 5000, rising: median 2528, 99 % 4953, counted 9999", "1 to 5000, falling: median 2700, 99 % 4975, counted 5520"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v quantile-estimator==0.1.3 || exit 2
cat >run.py <<'PY'
import random
from quantile_estimator import Estimator

mixed = list(range(1, 5001))
random.Random(1).shuffle(mixed)
for name, values in (("1 to 3", [1, 2, 3]), ("1 to 10", list(range(1, 11))), ("1 to 5000, mixed", mixed), ("1 to 5000, rising", sorted(mixed)), ("1 to 5000, falling", sorted(mixed, reverse=True))):
    estimator = Estimator()
    for value in values:
        estimator.observe(value)
    print(f"{name}: median {estimator.query(0.5)}, 99 % {estimator.query(0.99)}, counted {estimator._observations}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "1 to 3: median 2, 99 % 3, counted 5
1 to 10: median 6, 99 % 10, counted 19
1 to 5000, mixed: median 2490, 99 % 4976, counted 5520
1 to 5000, rising: median 2528, 99 % 4953, counted 9999
1 to 5000, falling: median 2700, 99 % 4975, counted 5520" ] || { echo "changed" >&2; exit 1; }
