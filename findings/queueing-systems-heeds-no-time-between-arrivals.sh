#!/usr/bin/env bash
# queueing-systems 0.1.2 (PyPI): the mean time between arrivals, which may be given in place of their rate, is an error alone and unheeded beside it.
#
# Guess: ssqs() takes "a" for "ar", as its text says of both ("Optional if arrival rate is given", "Optional if mean inter-arrival time is given") and as
#   "s" for "sr" works: a queue with a = 0.1 is that with ar = 10.
# Seen: with "a" alone a TypeError about a division by None, before the check that would tell which of both is missing. With both, "a" is put aside without a
#   word and made anew from "ar", also where the two say different things. The service time is taken either way, so that half of a description by
#   times works and half does not.
# Source: queueing_systems/functions.py, ssqs ("a = 1 / ar" ahead of "if a is None").
# Output seen: "rate: wq 0.05", "time: TypeError", "service by time: wq 0.05", "rate 10 and time 0.2: a 0.1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v queueing-systems==0.1.2 || exit 2
cat >run.py <<'PY'
from queueing_systems import ssqs

def show(name, key, **given):
    try:
        print(f"{name}: {key} {ssqs(qs='mm1', **given)[key]:.4g}")
    except TypeError as error:
        print(f"{name}: {type(error).__name__}")

show("rate", "wq", ar=10, sr=20)
show("time", "wq", a=0.1, sr=20)
show("service by time", "wq", ar=10, s=0.05)
show("rate 10 and time 0.2", "a", ar=10, a=0.2, sr=20)
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "rate: wq 0.05
time: TypeError
service by time: wq 0.05
rate 10 and time 0.2: a 0.1" ] || { echo "changed" >&2; exit 1; }
