#!/usr/bin/env bash
# libbgp 0.2.0 (PyPI): 900,000 routes of IPv4 in a BMP report are 4.7 sextillion, and one family of several is left.
#
# Guess: statistics 9 and 10 are a 2-octet AFI, a 1-octet SAFI and a 64-bit gauge (RFC 7854 §4.8); a report has one for each family.
# Seen: all 11 octets are one number, the family in its highest ones: 900,000 routes of IPv4 unicast are 4740813226943355665312. A report with IPv4 and IPv6 shows the last one only,
#   as the type is the key. The plain gauges, 7 and 8, are right.
# Source: libbgp/bmp/stats_report.py, StatsReport.unpack: int(binascii.b2a_hex(stat_data), 16), stats_dict[stat_type].
# Output seen: "type 7: {7: 900000}", "type 9, IPv4: {9: 4740813226943355665312}", "IPv4 and IPv6: 1 value"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v libbgp==0.2.0 || exit 2
cat >run.py <<'PY'
import struct

import libbgp.bmp.stats_report
from libbgp.bmp.message import Message


def report(*statistics):
    body = struct.pack("!I", len(statistics)) + b"".join(struct.pack("!HH", kind, len(data)) + data for kind, data in statistics)
    return Message.unpack(struct.pack("!BIB", 3, 48 + len(body), 1) + bytes(42) + body).value


def family(afi, count):
    return 9, struct.pack("!HBQ", afi, 1, count)


print(f"type 7: {report((7, struct.pack('!Q', 900_000)))}")
print(f"type 9, IPv4: {report(family(1, 900_000))}")
print(f"IPv4 and IPv6: {len(report(family(1, 900_000), family(2, 200_000)))} value")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "type 7: {7: 900000}
type 9, IPv4: {9: 4740813226943355665312}
IPv4 and IPv6: 1 value" ] || { echo "changed" >&2; exit 1; }
