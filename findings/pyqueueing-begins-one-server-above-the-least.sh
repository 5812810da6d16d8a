#!/usr/bin/env bash
# pyqueueing 0.1.1 (PyPI): a target that nine servers meet gets ten, unless the load is a whole number.
#
# Guess: required_servers gives the "minimum number of servers c satisfying the constraint", and 9 servers are stable with a load of 8.33: their mean
#   wait is shorter than two times of service, the target.
# Seen: the search begins at the load rounded up plus one, 10, with the note "start from minimum stable c". That is the least for whole loads alone; for
#   others the least is never tried, so that targets which it meets cost one server more. The example in the source, 10 for a probability of waiting of
#   0.2, is 12 by either count.
# Source: pyqueueing/models/erlang_c.py, required_servers: c = max(math.ceil(a) + 1, 1).
# Output seen: "load 8.33, mean wait at most 2.0: given 10, least 9, which wait 1.141", "load 0.50, mean wait at most 2.0: given 2, least 1, which wait 1.000", "load 8.00, mean wait at most 2.0: given 9, least 9, which wait 0.653", "load 8.33, mean wait at most 0.05: given 12, least 12, which wait 0.048", "example: 12"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pyqueueing==0.1.1 numpy==1.26.4 || exit 2
cat >run.py <<'PY'
from pyqueueing import MMC, ErlangC

for load, target in ((100 / 12, 2.0), (0.5, 2.0), (8.0, 2.0), (100 / 12, 0.05)):
    least = next(c for c in range(1, 100) if c > load and MMC(arrival_rate=load, service_rate=1, servers=c).mean_wait() <= target)
    given = ErlangC(arrival_rate=load, service_rate=1).required_servers(target_mean_wait=target)
    print(f"load {load:.2f}, mean wait at most {target}: given {given}, least {least}, which wait {MMC(arrival_rate=load, service_rate=1, servers=least).mean_wait():.3f}")
print("example:", ErlangC(arrival_rate=100, service_rate=12).required_servers(target_wait_prob=0.2))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "load 8.33, mean wait at most 2.0: given 10, least 9, which wait 1.141
load 0.50, mean wait at most 2.0: given 2, least 1, which wait 1.000
load 8.00, mean wait at most 2.0: given 9, least 9, which wait 0.653
load 8.33, mean wait at most 0.05: given 12, least 12, which wait 0.048
example: 12" ] || { echo "changed" >&2; exit 1; }
