#!/usr/bin/env bash
# welford 0.2.5 (PyPI): an accumulator without samples can be made and asked, and merging with one fails on either side.
#
# Guess: Welford() is an accumulator of no samples (its count is 0, and its elements are optional), and merge() adds two of them: none and three are
#   three. So a fold over workers begins with an empty one, and a worker that saw nothing is merged as well.
# Seen: a TypeError either way, since its mean is None and is subtracted. rollback() has the same hole: after the first add_all() into an empty one it leaves a
#   count of None and means that are not numbers, where it should be empty again; after the first add() it is right.
# Source: welford/welford.py, merge (self.__m - other.__m) and __backup_attrs (nothing without a shape).
# Output seen: "count 0", "into an empty one: TypeError", "an empty one into three: TypeError", "rolled back: add 0, add_all None"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v welford==0.2.5 numpy==1.26.4 || exit 2
cat >run.py <<'PY'
import numpy as np
from welford import Welford

samples = np.array([[1.0], [2.0], [3.0]])
print(f"count {Welford().count}")
for name, first, second in (("into an empty one", Welford(), Welford(samples)), ("an empty one into three", Welford(samples), Welford())):
    try:
        first.merge(second)
        print(f"{name}: {first.count}")
    except TypeError as error:
        print(f"{name}: {type(error).__name__}")
one, many = Welford(), Welford()
one.add(samples[0])
one.rollback()
many.add_all(samples)
many.rollback()
print(f"rolled back: add {one.count}, add_all {many.count}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "count 0
into an empty one: TypeError
an empty one into three: TypeError
rolled back: add 0, add_all None" ] || { echo "changed" >&2; exit 1; }
