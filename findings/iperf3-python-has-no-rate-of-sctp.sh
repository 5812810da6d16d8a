#!/usr/bin/env bash
# iperf3 0.1.11 (PyPI): a result of a test over SCTP has no rate, and the rate of one over UDP counts what was lost.
#
# Guess: TestResult gives the rates of each kind of test that iperf3 runs, --sctp among them: the document is the same for SCTP
#   and TCP, sum_sent and sum_received. `Mbps` of a UDP test with half of the datagrams lost is what arrived, as received_Mbps of TCP is.
# Seen: for SCTP the object has none of the attributes, so that a program meets AttributeError after the test has run, with
#   the numbers in the document. `Mbps` of UDP is the rate of the sender: 10 where 5 arrived; the document's "sum" has the
#   sender's bytes and rate next to the receiver's loss and jitter, and sum_received, which has the other rate, is not read. A
#   comparison of the three protocols over a lossy path ranks UDP by what was asked for.
# Source: iperf3/iperf3.py, TestResult (a branch for TCP, one for UDP); iperf3 3.12, src/iperf_api.c, iperf_print_results.
# Output seen: "TCP: received_Mbps 5.0", "SCTP: no received_Mbps, no Mbps", "UDP: lost 50 %, Mbps 10.0, in the document received 5.0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install iperf3==0.1.11 || exit 2
cat >run.py <<'PY'
import json
import iperf3

def result(protocol):
    sent = {"start": 0, "end": 10, "seconds": 10, "bytes": 12500000, "bits_per_second": 10e6, "sender": True}
    received = {**sent, "bytes": 6250000, "bits_per_second": 5e6, "sender": False}
    loss = {"jitter_ms": 0.1, "lost_packets": 500, "packets": 1000, "lost_percent": 50}
    end = {"streams": [], "sum_sent": sent, "sum_received": received}
    if protocol == "UDP":
        end.update(sum={**sent, **loss}, sum_received={**received, **loss})
    parts = ("host_total", "host_user", "host_system", "remote_total", "remote_user", "remote_system")
    end["cpu_utilization_percent"] = dict.fromkeys(parts, 1)
    ends = {"socket": 5, "local_host": "192.0.2.1", "local_port": 40000, "remote_host": "192.0.2.2", "remote_port": 5201}
    test = {"protocol": protocol, "num_streams": 1, "blksize": 1250, "omit": 0, "duration": 10, "reverse": 0}
    moment = {"time": "Tue, 14 Nov 2023 22:13:20 GMT", "timesecs": 1700000000}
    start = {"connected": [ends], "version": "iperf 3.12", "system_info": "Linux", "timestamp": moment, "test_start": test}
    document = json.dumps({"start": start, "intervals": [], "end": end})
    return iperf3.TestResult(document)

def show(found, name):
    return f"{name} {getattr(found, name)}" if hasattr(found, name) else f"no {name}"

print("TCP:", show(result("TCP"), "received_Mbps"))
sctp, udp = result("SCTP"), result("UDP")
print(f"SCTP: {show(sctp, 'received_Mbps')}, {show(sctp, 'Mbps')}")
arrived = udp.json["end"]["sum_received"]["bits_per_second"] / 1e6
print(f"UDP: lost {udp.lost_percent} %, {show(udp, 'Mbps')}, in the document received {arrived}")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "TCP: received_Mbps 5.0
SCTP: no received_Mbps, no Mbps
UDP: lost 50 %, Mbps 10.0, in the document received 5.0" ] || { echo "changed" >&2; exit 1; }
