#!/usr/bin/env bash
# dhcp-o82 0.1.0 (PyPI): a circuit of VLAN, module and port is left out without a word if one of the three is 0.
#
# Guess: (10, 0, 3) is port 3 of module 0 in VLAN 10 and becomes 01 06 00 04 00 0a 00 03, the layout that Cisco's switches send.
#   Module 0 is the only one of a switch that does not stack (and ports are counted from 0 on some): the most usual circuit there is.
# Seen: the three are asked for truth, not for presence: with a 0 nothing is set and nothing raised. The option in hex is just
#   shorter. A DHCP server that is to give the port an address of its own gets a rule that fits each port of the switch.
# Source: dhcp_o82/o82.py, Option82.set_circuit_id (all([vlan, module, port])).
# Output seen: "(10, 1, 3): 01:06:00:04:00:0A:01:03:02:08:00:06:00:00:5E:00:53:01", "(10, 0, 3): 02:08:00:06:00:00:5E:00:53:01"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v dhcp-o82==0.1.0 netaddr==0.8.0 || exit 2
cat >run.py <<'PY'
from dhcp_o82.o82 import Option82

for circuit in (10, 1, 3), (10, 0, 3), (10, 1, 0):
    print(f"{circuit}: {Option82(circuit_id=circuit, remote_id='00-00-5E-00-53-01').to_hex()}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "(10, 1, 3): 01:06:00:04:00:0A:01:03:02:08:00:06:00:00:5E:00:53:01
(10, 0, 3): 02:08:00:06:00:00:5E:00:53:01
(10, 1, 0): 02:08:00:06:00:00:5E:00:53:01" ] || { echo "changed" >&2; exit 1; }
