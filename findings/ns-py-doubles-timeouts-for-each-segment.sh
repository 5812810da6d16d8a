#!/usr/bin/env bash
# ns.py 0.4.3 (PyPI): its TCP doubles the retransmission timeout once for each lost segment, so that a short outage lasts for hours.
#
# Guess: TCPPacketGenerator, which cites RFC 6298, has one timer for the oldest segment; when it expires one segment goes out, the timeout
#   is doubled once, and the rest follows the acknowledgments in slow start. After an outage of 1.15 s on a path of 100 ms, in
#   which 16 segments and the first retransmission are lost, the transfer goes on 2 s later.
# Seen: each segment has its timer. All 16 expire at once and are sent at once, with a congestion window of one; and each of them
#   doubles the timeout that all share: the first waits 2 s more, the second 4, the last 65536. The 20 kB are through after 18 hours.
#   A loss rate or a handover that is studied with it shows TCP dead where it takes seconds.
# Source: ns/packet/tcp_generator.py, timeout_callback.
# Output seen: "outage of 1.15 s: last segment at 65537.7 s, sent again 16 at 1.4, 1 at 3.4, 1 at 5.4, 1 at 9.4, 1 at 17.4"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install ns.py==0.4.3 simpy==4.1.2 || exit 2
cat >run.py <<'PY'
from collections import Counter

import simpy
from ns.flow.cc import TCPReno
from ns.flow.flow import Flow
from ns.packet.tcp_generator import TCPPacketGenerator
from ns.packet.tcp_sink import TCPSink
from ns.port.wire import Wire

class Outage:
    def __init__(self, environment, first, last):
        self.environment, self.first, self.last, self.sent = environment, first, last, Counter()

    def put(self, packet):
        now = self.environment.now
        self.sent[round(now, 1)] += 1
        if not self.first <= now < self.last:
            self.done = now
            self.out.put(packet)

for last in (0.35, 1.5):
    environment = simpy.Environment()
    flow = Flow(fid=0, src="here", dst="there", finish_time=10**6, size=40 * 512)
    sender = TCPPacketGenerator(environment, flow=flow, cc=TCPReno())
    outage, sink = Outage(environment, 0.35, last), TCPSink(environment)
    there, back = Wire(environment, lambda: 0.05), Wire(environment, lambda: 0.05)
    sender.out, outage.out, there.out, sink.out, back.out = outage, there, sink, back, sender
    environment.run(until=10**6)
    repeats = [f"{count} at {time}" for time, count in outage.sent.items() if time > 1]
    print(f"outage of {last - 0.35:.2f} s: last segment at {outage.done:.1f} s, sent again {', '.join(repeats[:5]) or 'none'}")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "outage of 0.00 s: last segment at 0.5 s, sent again none
outage of 1.15 s: last segment at 65537.7 s, sent again 16 at 1.4, 1 at 3.4, 1 at 5.4, 1 at 9.4, 1 at 17.4" ] || {
    echo "changed" >&2
    exit 1
}
