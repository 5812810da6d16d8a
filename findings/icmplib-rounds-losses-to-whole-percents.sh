#!/usr/bin/env bash
# icmplib 3.0.4 (PyPI): four losses of a thousand packets are no loss, and of a host that answered four times all packets are lost.
#
# Guess: packet_loss is "a float between 0 and 1", lost by sent: 0.004 and 0.996. Round-trip times have three digits behind the
#   point, so this has at least as many; "1 (all packets are lost)" and is_alive are contrary to each other.
# Seen: it is rounded to two digits. Less than half a percent is 0.0, as if nothing was lost; 99.5 % and more is 1.0, while
#   is_alive is true. 0.6 % is 0.01. With the usual limits of service agreements (0.1 %, 0.5 %) the value cannot be compared; one
#   computes it from packets_sent and packets_received, which are exact.
# Source: icmplib/models.py, Host.packet_loss (round(..., 2)).
# Output seen: "4 of 1000 lost: 0.0, alive True", "6 of 1000 lost: 0.01, alive True", "996 of 1000 lost: 1.0, alive True"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip --quiet --disable-pip-version-check install --target lib icmplib==3.0.4 || exit 2
cat >run.py <<'PY'
from icmplib import Host

for lost in (0, 4, 6, 996, 1000):
    host = Host("192.0.2.1", packets_sent=1000, rtts=[20.0] * (1000 - lost))
    print(f"{lost} of 1000 lost: {host.packet_loss}, alive {host.is_alive}")
PY
seen=$(PYTHONPATH=lib python3 run.py)
echo "$seen"
[ "$seen" = "0 of 1000 lost: 0.0, alive True
4 of 1000 lost: 0.0, alive True
6 of 1000 lost: 0.01, alive True
996 of 1000 lost: 1.0, alive True
1000 of 1000 lost: 1.0, alive False" ] || { echo "changed" >&2; exit 1; }
