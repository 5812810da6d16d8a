#!/usr/bin/env bash
# pyagentx3 0.1.4 (PyPI): new values of the subtree .1 delete those of .10 and .11, and a walk skips rows behind a gap.
#
# Guess: each updater of an agent has its subtree, so that the values of ..99999.1 and ..99999.10 do not touch each other. GetNext gives the
#   first object behind the one asked for, in lexicographic order of the numbers (RFC 2741 §7.2.3.2).
# Seen: before it stores an updater's values the agent deletes all whose OID, as text, begins with the updater's: .1 is a prefix of .10, so that
#   the objects of .10 are gone until its own updater runs. GetNext from an OID that is no object, as a manager sends for
#   a column or a row that has gone, compares number by number, each with its like, and not the first that differs: behind 1.1.5 it does not
#   find 1.2.1, since 1 is less than 5, and answers endOfMibView or a later row.
# Source: pyagentx3/network.py, Network._get_updates (oid.startswith) and _get_next_oid.
# Output seen: "after .1 and .10: 2 objects", "after .1 again: 1 objects", "next of 1.1: 1.1.4", "next of 1.1.5: 1.2.7", "next of 1.1.8: None"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v pyagentx3==0.1.4 >/dev/null 2>&1 || exit 2
cat >run.py <<'PY'
from queue import Queue

import pyagentx3
from pyagentx3.network import Network

BASE = "1.3.6.1.4.1.99999"


def update(network, subtree, *names):
    values = {name: {"name": name, "type": pyagentx3.TYPE_INTEGER, "value": 1} for name in names}
    network._queue.put({"oid": f"{BASE}.{subtree}", "data": values})
    network._get_updates()


network = Network(Queue(), [BASE], {}, "agent", "socket")
update(network, "1", "1.4")
update(network, "10", "1.4")
print(f"after .1 and .10: {len(network.data)} objects")
update(network, "1", "1.4")
print(f"after .1 again: {len(network.data)} objects")
update(network, "1", "1.4", "2.1", "2.7")
print("objects", *(oid.removeprefix(BASE + ".") for oid in network.data_idx))
for oid in ("1.1", "1.1.5", "1.1.8"):
    found = network._get_next_oid(f"{BASE}.{oid}", f"{BASE}.2")
    print(f"next of {oid}:", found and found.removeprefix(BASE + "."))
PY
seen=$(PYTHONPATH=v python3 run.py) || exit 2
echo "$seen"
[ "$seen" = "after .1 and .10: 2 objects
after .1 again: 1 objects
objects 1.1.4 1.2.1 1.2.7
next of 1.1: 1.1.4
next of 1.1.5: 1.2.7
next of 1.1.8: None" ] || { echo "changed" >&2; exit 1; }
