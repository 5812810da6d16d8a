#!/usr/bin/env bash
# netflow 0.12.2 (PyPI): an IPFIX element of a vendor takes the name, and in the record the place, of IANA's with its number.
#
# Guess: an element with an enterprise number is another one than IANA's of the same number (RFC 7011 §3.2), and a record that
#   has both shows both. Bidirectional flows rely on it: RFC 5103 tells the reverse counters by the number 29305.
# Seen: octetDeltaCount 1000 and the reverse octetDeltaCount 5 of one record are one entry, octetDeltaCount 5: traffic of
#   one direction is counted for the other. Any vendor's element 1 to 433 is shown under IANA's name, with or without that
#   one beside it; nothing tells them apart.
# Source: netflow/ipfix.py, IPFIXDataRecord: fields are named by their number alone, the enterprise is read and dropped.
# Output seen: "octetDeltaCount 5, sourceTransportPort 5000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install netflow==0.12.2 || exit 2
cat >run.py <<'PY'
import struct
import netflow

template = struct.pack("!HH HH HHI HH", 256, 3, 1, 4, 0x8000 | 1, 4, 29305, 7, 2)
data = struct.pack("!IIH", 1000, 5, 5000)
sets = struct.pack("!HH", 2, 4 + len(template)) + template + struct.pack("!HH", 256, 4 + len(data)) + data
packet = struct.pack("!HHIII", 10, 16 + len(sets), 1700000000, 0, 1) + sets
for flow in netflow.parse_packet(packet, {"netflow": {}, "ipfix": {}}).flows:
    print(", ".join(f"{name} {value}" for name, value in sorted(flow.data.items())))
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "octetDeltaCount 5, sourceTransportPort 5000" ] || { echo "changed" >&2; exit 1; }
