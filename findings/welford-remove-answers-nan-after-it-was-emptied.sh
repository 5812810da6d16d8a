#!/usr/bin/env bash
# welford-remove 0.2.1 (PyPI): once the last sample is removed, mean and variance are NaN for ever, whatever is added later.
#
# Guess: with remove() "we can remove a data point": a window that slides over a stream empties in a pause, and is then as a new Welford(): count 0, and the next
#   samples count as usual.
# Seen: the mean is divided by the number that is left, 0, with a RuntimeWarning of NumPy alone. The count goes to 0 and up again as it should, but mean and
#   variance are NaN for ever, and so are those of each accumulator that it is merged into.
# Source: welford_remove/welford.py, remove (/ (self.count - 1)); add (starts afresh only if there was never a sample).
# Output seen: "emptied: count 0", "then 1 and 3: count 2, mean nan, variance nan", "another one after merge: count 4, mean nan", "a new one: count 2, mean 2.0, variance 2.0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v numpy==1.26.4 || exit 2
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v welford-remove==0.2.1 || exit 2
cat >run.py <<'PY'
import numpy as np
from welford_remove import Welford


def show(name, window):
    for value in 1.0, 3.0:
        window.add(np.array([value]))
    print(f"{name}: count {window.count}, mean {window.mean[0]}, variance {window.var_s[0]}")


window = Welford()
window.add(np.array([5.0]))
window.remove(np.array([5.0]))
print(f"emptied: count {window.count}")
show("then 1 and 3", window)
other = Welford(np.array([[2.0], [4.0]]))
other.merge(window)
print(f"another one after merge: count {other.count}, mean {other.mean[0]}")
show("a new one", Welford())
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "emptied: count 0
then 1 and 3: count 2, mean nan, variance nan
another one after merge: count 4, mean nan
a new one: count 2, mean 2.0, variance 2.0" ] || { echo "changed" >&2; exit 1; }
