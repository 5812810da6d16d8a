#!/usr/bin/env bash
# pytimeparse 1.1.10 (PyPI): "0.01m" is 0 seconds and "0.001h" 3, while "0.6s" and "0.01m 0.0s" are 0.6.
#
# Guess: fractions are kept in each unit: "1.2 minutes" is 72 and "1.2 seconds" 1.2 in the documentation, a float "if this is not possible".
# Seen: unless the seconds have a point the result is cut to whole seconds: a timeout of 0.01 minutes, 600 ms, is 0, at once or never for
#   most that take it; 0.001 h are 3 s instead of 3.6. A text with seconds that have a point, even ".0s", keeps all of it. "100ms" is None.
# Source: pytimeparse/timeparse.py: int(...) where the field of seconds is missing or all digits.
# Output seen: "0.01m: 0", "0.01m 0.0s: 0.6", "0.6s: 0.6", "0.001h: 3", "100ms: None"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v pytimeparse==1.1.10 || exit 2
cat >run.py <<'PY'
from pytimeparse.timeparse import timeparse

for text in ("0.01m", "0.01m 0.0s", "0.6s", "0.001h", "100ms"):
    print(f"{text}: {timeparse(text)}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "0.01m: 0
0.01m 0.0s: 0.6
0.6s: 0.6
0.001h: 3
100ms: None" ] || { echo "changed" >&2; exit 1; }
