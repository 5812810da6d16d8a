#!/usr/bin/env bash
# ripe.atlas.sagan 2.0.1 (PyPI): round trips of NTP measurements are cut to whole milliseconds, and the root delay to whole seconds.
#
# Guess: rtt has three digits behind the point, as that of pings and traceroutes has, which are milliseconds: a microsecond.
#   The root delay, half of the error of a server's clock, is a number such as the root dispersion beside it.
# Seen: RIPE Atlas reports NTP in seconds (a result has rtt 0.010367), so that three digits are a millisecond. A server in the
#   same building at 0.4 ms has rtt 0.0, and medians and extremes are made of such. The offset keeps its six digits.
#   root-delay is converted to an integer: 0.03125 s is 0, as is each delay below one second, "directly at a reference clock".
# Source: ripe/atlas/sagan/ntp.py, Packet.__init__ (round(float(data["rtt"]), 3)), NtpResult (ensure("root-delay", int)).
# Output seen: "rtts 0.01, 0.0; median 0.005; offsets 0.002608, 1.8e-05", "root delay 0, root dispersion 0.00108337"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip --quiet --disable-pip-version-check install --target lib --no-deps ripe.atlas.sagan==2.0.1 \
    python-dateutil==4.0.0 pytz==2025.2 six==1.17.0 || exit 2
cat >run.py <<'PY'
from ripe.atlas.sagan import NtpResult

start = 3878842881.1663661003
result = NtpResult({
    "fw": 5080, "type": "ntp", "msm_id": 1, "prb_id": 1, "timestamp": 1669854081, "from": "192.0.2.1", "af": 4, "proto": "UDP",
    "dst_addr": "192.0.2.2", "src_addr": "192.0.2.1", "li": "no", "version": 4, "mode": "server", "stratum": 2, "poll": 8,
    "precision": 0.0000038147, "root-delay": 0.03125, "root-dispersion": 0.00108337, "ref-id": "192.0.2.3", "ref-ts": start,
    "result": [
        {"origin-ts": start, "receive-ts": start, "transmit-ts": start, "final-ts": start, "rtt": 0.010367, "offset": 0.002608},
        {"origin-ts": start, "receive-ts": start, "transmit-ts": start, "final-ts": start, "rtt": 0.000412, "offset": 0.000018},
    ],
})
rtts = ", ".join(str(one.rtt) for one in result.packets)
offsets = ", ".join(str(one.offset) for one in result.packets)
print(f"rtts {rtts}; median {result.rtt_median}; offsets {offsets}")
print(f"root delay {result.root_delay}, root dispersion {result.root_dispersion}")
PY
seen=$(PYTHONPATH=lib python3 run.py)
echo "$seen"
[ "$seen" = "rtts 0.01, 0.0; median 0.005; offsets 0.002608, 1.8e-05
root delay 0, root dispersion 0.00108337" ] || { echo "changed" >&2; exit 1; }
