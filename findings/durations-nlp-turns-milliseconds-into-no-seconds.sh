#!/usr/bin/env bash
# durations-nlp 1.0.1 (PyPI): "4 ms" is 0.0 seconds, and a number without a unit is nothing, without an error.
#
# Guess: `to_seconds` of "4 ms", in a library that has a unit for milliseconds, is 0.004. "30" is an error, as "30 x" is, or 30 seconds.
# Seen: every conversion is rounded to two decimals, so that a delay below 5 ms is no time at all, 25 ms are 0.03 s (the README shows whole results
#   only); the attribute `seconds` has the exact value. A number that has no unit behind it is left out with no error: "30" is 0 seconds and
#   "1m30" is one minute, so that a timeout of 30 in a file becomes one of 0.
# Source: durations_nlp/duration.py, to_seconds; durations_nlp/parser.py, extract_tokens, where zip() drops the odd one.
# Output seen: "4 ms: 0.0 s, exact 0.004", "25 ms: 0.03 s, exact 0.025", "30: 0.0 s, exact 0", "1m30: 60.0 s, exact 60.0", "30 x: ScaleFormatError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v durations-nlp==1.0.1 || exit 2
cat >run.py <<'PY'
from durations_nlp import Duration
from durations_nlp.exceptions import InvalidTokenError, ScaleFormatError

for text in ("4 ms", "25 ms", "30", "1m30", "30 x"):
    try:
        duration = Duration(text)
        print(f"{text}: {duration.to_seconds()} s, exact {duration.seconds}")
    except (InvalidTokenError, ScaleFormatError) as error:
        print(f"{text}: {type(error).__name__}")
PY
seen=$(PYTHONPATH=v python3 run.py) || exit 2
echo "$seen"
[ "$seen" = "4 ms: 0.0 s, exact 0.004
25 ms: 0.03 s, exact 0.025
30: 0.0 s, exact 0
1m30: 60.0 s, exact 60.0
30 x: ScaleFormatError" ] || { echo "changed" >&2; exit 1; }
