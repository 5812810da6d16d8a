#!/usr/bin/env bash
# pyroute2 0.9.7 (PyPI): what the kernel reports of an SCTP association is shown as the report of a TCP connection.
#
# Guess: get_sock_stats takes a protocol, so 132 may be asked for; the attribute INET_DIAG_INFO then holds a struct sctp_info
#   (linux/sctp.h), which is shown under its names, or as octets, as the package does with the addresses of the association.
# Seen: it is always cut into tcp_info. The tag is called state and retransmits, the window of 104 KiB is an rto of 0.1 s, a fragmentation
#   point is rcv_mss, SACKs received are last_ack_recv in milliseconds, packets are snd_cwnd. Each number is plausible for a
#   healthy connection; rtt is half of a counter of SACKs, always 0. The true srtt, rto and cwnd, which stand behind the
#   primary address, are not shown. idiag_state 3, ESTABLISHED, is SYN_RECV among the package's names.
# Who cares: exporters of socket statistics on hosts with SIGTRAN, Diameter or N2 associations; iproute2's ss knows the difference.
# Source: pyroute2/netlink/diag/__init__.py, inet_diag_msg.nla_map ("must be protocol specific?").
# Output seen: "tag 1276116704: tcpi_state 224", "rwnd 106496: tcpi_rto 106496", "frag_point 1452: tcpi_rcv_mss 1452",
#   "isacks 1000: tcpi_last_ack_recv 1000", "ipackets 4000: tcpi_snd_cwnd 4000", "srtt 35: none"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install pyroute2==0.9.7 || exit 2
cat >run.py <<'PY'
import socket
import struct
from pyroute2.netlink.diag import MarshalDiag

values = {"tag": 0x4C0FFEE0, "rwnd": 106496, "frag_point": 1452, "isacks": 1000, "ipackets": 4000, "srtt": 35}
# struct sctp_info: tag, state, rwnd, unacked, pending, streams in and out, fragmentation point, queues, errors, burst, maxseg,
# window and tag of the peer, two flags; fourteen counters; the primary address, its state, cwnd, srtt, rto and more.
info = struct.pack("=IIIHHHHIIIIIIIIBBH", values["tag"], 3, values["rwnd"], 2, 0, 10, 10, values["frag_point"],
                   0, 0, 0, 4, 1452, 65536, 0x0BADCAFE, 1, 1, 0)
info += struct.pack("=14Q", values["isacks"], 2000, 3000, values["ipackets"], *[0] * 10)
info += bytes(128) + struct.pack("=iIII", 2, 4380, values["srtt"], 1000) + bytes(56)
message = struct.pack("=BBBB", socket.AF_INET, 3, 0, 0) + struct.pack(">HH", 3868, 40000)
message += socket.inet_aton("127.0.0.1") + bytes(12) + socket.inet_aton("127.0.0.2") + bytes(12) + bytes(32)
message += struct.pack("=HH", 4 + len(info), 2) + info
message = struct.pack("=IHHII", 16 + len(message), 20, 0, 1, 0) + message

(read,) = MarshalDiag().parse(message)
shown = read.get_attr("INET_DIAG_INFO")
for name, field in (("tag", "state"), ("rwnd", "rto"), ("frag_point", "rcv_mss"), ("isacks", "last_ack_recv"), ("ipackets", "snd_cwnd")):
    print(f"{name} {values[name]}: tcpi_{field} {shown['tcpi_' + field]}")
print(f"srtt {values['srtt']}: {[field for field, value in shown.items() if value == values['srtt']] or 'none'}")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "tag 1276116704: tcpi_state 224
rwnd 106496: tcpi_rto 106496
frag_point 1452: tcpi_rcv_mss 1452
isacks 1000: tcpi_last_ack_recv 1000
ipackets 4000: tcpi_snd_cwnd 4000
srtt 35: none" ] || { echo "changed" >&2; exit 1; }
