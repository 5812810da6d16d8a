#!/usr/bin/env bash
# call-center-tools 1.0.0 (PyPI): where more calls come than agents can take, the average time to answer is negative.
#
# Guess: a queue that is offered more than it can serve grows without end: the wait is infinite or None, as the same result has a probability to wait of 1,
#   an occupancy of 1 and a service level of 0. Right at the border, as many agents as Erlangs, it is the same.
# Seen: minus aht divided by what is missing: 100 calls an hour of 180 seconds (5 Erlangs) with four agents are answered 180 seconds before they
#   come, with one agent 45 seconds before. A check "answered within 20 seconds" holds the better the closer the load is to the border. At the
#   border, ZeroDivisionError. The other functions ask for agents <= t_intensity first, this one does not.
# Source: call_center_tools/staffing.py, calc_average_speed_of_answer and, for what is checked there, calc_service_level; erlang.py, erlang_c.
# Output seen: "5 agents: ZeroDivisionError", "4 agents: 1.00 of the calls wait, service level 0.00, answered after -180 s", "1 agents: (...) answered after -45 s"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v call-center-tools==1.0.0 || exit 2
cat >run.py <<'PY'
from call_center_tools import calc_staffing

for agents in 6, 5, 4, 1:
    try:
        result = calc_staffing(calls_per_hour=100, aht=180, agents=agents)
    except ZeroDivisionError as error:
        print(f"{agents} agents: {type(error).__name__}")
    else:
        print(
            f"{agents} agents: {result.wait_probability:.2f} of the calls wait, service level {result.service_level:.2f}, "
            f"answered after {result.average_speed_of_answer:.0f} s"
        )
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "6 agents: 0.59 of the calls wait, service level 0.47, answered after 106 s
5 agents: ZeroDivisionError
4 agents: 1.00 of the calls wait, service level 0.00, answered after -180 s
1 agents: 1.00 of the calls wait, service level 0.00, answered after -45 s" ] || { echo "changed" >&2; exit 1; }
