#!/usr/bin/env bash
# bucky 2.3.0 (PyPI): the mean of a timer of statsd is that of the lower nine tenths, of two times it is the smaller one.
#
# Guess: the times 20 and 320 have the mean 170, between `lower` 20 and `upper` 320. StatsD, whose protocol this is, calls the mean of all times
#   `mean`, and the one without the largest tenth `mean_90`; `lower`, `upper` and `count` stand beside it for all.
# Seen: the mean is 20. The times are cut to the lower nine tenths, rounded down, before they are summed: of ten times the largest is missing, of
#   two the larger one, so that a mean may lie outside of what the other numbers allow, and a round trip that is late
#   once in ten is never in the mean. `upper_90`, which has its threshold in its name, is the one that is cut, too.
# Source: bucky/statsd.py, enqueue_timers (v = v[:thresh_idx] before the sum).
# Output seen: "20 320: mean 20.0, lower 20.0, upper 320.0, count 2", "nine of 20 and 320: mean 20.0, lower 20.0, upper 320.0, count 10"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v bucky==2.3.0 six==1.16.0 2>/dev/null || exit 2
cat >run.py <<'PY'
import queue
import types

import bucky.cfg
from bucky.statsd import StatsDHandler

settings = types.SimpleNamespace(**{name: value for name, value in vars(bucky.cfg).items() if not name.startswith("_")})
settings.directory = "."
for name, times in ("20 320", [20, 320]), ("nine of 20 and 320", [20] * 9 + [320]):
    metrics = queue.Queue()
    handler = StatsDHandler(metrics, settings)
    for time in times:
        handler.handle(f"rtt:{time}|ms")
    handler.enqueue_timers(0)
    seen = {metric[1].rsplit(".", 1)[1]: metric[2] for metric in metrics.queue}
    print(f"{name}: {', '.join(f'{key} {seen[key]}' for key in ('mean', 'lower', 'upper', 'count'))}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "20 320: mean 20.0, lower 20.0, upper 320.0, count 2
nine of 20 and 320: mean 20.0, lower 20.0, upper 320.0, count 10" ] || { echo "changed" >&2; exit 1; }
