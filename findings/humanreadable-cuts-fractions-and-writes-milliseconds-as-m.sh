#!/usr/bin/env bash
# humanreadable 0.4.3 (PyPI): "1m 0.5s" is 65 seconds, "1.5h 30m" five and a half hours, and 5 ms is shown as "5m", as five minutes are.
#
# Guess: Time("1m 0.5s") is 60.5 s, since Time("0.5s") is 0.5 s. The short style of a time is one that Time reads again as the same.
# Seen: where there are two parts or more each is looked for as digits with letters behind, so that what stands before the point is lost, and a minus
#   too. The short style is the first letter of the unit's name, which is m for minutes, milliseconds and microseconds: a delay of
#   5 ms or 5 us is "5m", read again as five minutes, and 1 min 5 ms is "1m 5m". tcconfig, a front end to tc, reads its delays with it.
# Source: humanreadable/_time.py, Time.__init__ and _parse (r"\d+\s*[a-zA-Z]+"), to_humanreadable (unit.name[0]).
# Output seen: "0.5s: 0.5", "1m 0.5s: 65.0", "1.5h 30m: 19800.0", "-1m 30s: 90.0", "5ms: 5m = 300.0 s", "5us: 5m = 300.0 s", "1m 5ms: 1m 5m = 360.0 s"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v humanreadable==0.4.3 || exit 2
cat >run.py <<'PY'
from humanreadable import Time

for text in ("0.5s", "1m 0.5s", "1.5h 30m", "-1m 30s"):
    print(f"{text}: {Time(text).seconds}")
for text in ("5ms", "5us", "1m 5ms"):
    short = Time(text).to_humanreadable("short")
    print(f"{text}: {short} = {Time(short).seconds} s")
PY
seen=$(PYTHONPATH=v python3 run.py) || exit 2
echo "$seen"
[ "$seen" = "0.5s: 0.5
1m 0.5s: 65.0
1.5h 30m: 19800.0
-1m 30s: 90.0
5ms: 5m = 300.0 s
5us: 5m = 300.0 s
1m 5ms: 1m 5m = 360.0 s" ] || { echo "changed" >&2; exit 1; }
