#!/usr/bin/env bash
# dhcp-leases 0.1.6 (PyPI): get_current lists an address for the client that gave it back, beside the one that has it now.
#
# Guess: the lease file is a log: a lease that changes is written again, and the last entry for an address is the one that counts
#   (dhcpd.leases(5)). get_current, "only the currently valid dhcp leases", has one holder of an address at most.
# Seen: entries are looked at one by one: the old one is "active" and its end lies ahead, so it is current for its client, although
#   two later ones say that the address was freed and went to somebody else. Only a later lease of the same client replaces it. The
#   effect lasts until the time that was granted first, and goes away when dhcpd cleans its file, about once an hour.
# Source: dhcp_leases/dhcpleases.py, DhcpLeases.get_current (a dict by hardware address, filled from active entries alone).
# Output seen: "00:00:5e:00:53:01 has 192.0.2.7", "00:00:5e:00:53:02 has 192.0.2.7"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v dhcp-leases==0.1.6 || exit 2
cat >run.py <<'PY'
from datetime import datetime, timezone
from dhcp_leases import DhcpLeases

def entry(starts, ends, state, client):
    return f"""lease 192.0.2.7 {{
  starts 2 2026/12/01 {starts};
  ends 2 2026/12/01 {ends};
  cltt 2 2026/12/01 {starts};
  binding state {state};
  hardware ethernet 00:00:5e:00:53:{client};
}}
"""

with open("leases", "w") as file:
    file.write(entry("08:00:00", "20:00:00", "active", "01"))
    file.write(entry("08:00:00", "09:00:00", "free", "01"))
    file.write(entry("09:30:00", "21:30:00", "active", "02"))
for client, lease in DhcpLeases("leases", now=datetime(2026, 12, 1, 10, tzinfo=timezone.utc)).get_current().items():
    print(client, "has", lease.ip)
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "00:00:5e:00:53:01 has 192.0.2.7
00:00:5e:00:53:02 has 192.0.2.7" ] || { echo "changed" >&2; exit 1; }
