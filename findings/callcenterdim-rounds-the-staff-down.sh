#!/usr/bin/env bash
# CallCenterDim 0.0.3 (PyPI): of the staff it asks for, fewer agents are present than it says are needed.
#
# Guess: AgentsFTE takes the agents that AgentsReq finds and allows for the share of the staff that is away (Shrinkage): as many that, with this share away, at
#   least AgentsReq are left, rounded up.
# Seen: it is rounded to the nearest number, half of the time down: 8 agents with 30 per cent away are 11.43, so 11 are hired, of whom 7.7 are
#   there. With 7 the service level that was asked for, 80 per cent, is missed. AgentsReq, too, begins at the rounded number of Erlangs: below half an Erlang at
#   no agent, a ZeroDivisionError, which AgentsFTE has a line against.
# Source: callcenterdim/Dimensionamento.py, AgentsFTE (round(agents / (1 - Shrinkage))), AgentsReq (round(Intensity)). call-center-tools (PyPI) rounds up.
# Output seen: "100 calls: needed 8, staff 11, there 7.7, service level with 7: 0.74", "4 calls: needed ZeroDivisionError, staff 1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v callcenterdim==0.0.3 || exit 2
cat >run.py <<'PY'
from callcenterdim.Dimensionamento import AgentsFTE, AgentsReq, ServiceLevel

AWAY = 0.3
for calls in 100, 50, 4:
    load = (calls, 60, 180)
    staff = AgentsFTE(*load, 0.8, 20, AWAY)
    try:
        needed = AgentsReq(*load, 0.8, 20)
    except ZeroDivisionError as error:
        print(f"{calls} calls: needed {type(error).__name__}, staff {staff}")
        continue
    there = int(staff * (1 - AWAY))
    level = ServiceLevel(*load, 20, there)
    print(f"{calls} calls: needed {needed}, staff {staff}, there {staff * (1 - AWAY):.1f}, service level with {there}: {level:.2f}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "100 calls: needed 8, staff 11, there 7.7, service level with 7: 0.74
50 calls: needed 5, staff 7, there 4.9, service level with 4: 0.73
4 calls: needed ZeroDivisionError, staff 1" ] || { echo "changed" >&2; exit 1; }
