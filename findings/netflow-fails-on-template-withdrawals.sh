#!/usr/bin/env bash
# netflow 0.12.2 (PyPI): the withdrawal of an IPFIX template is a RuntimeError, and flows in the same message are lost.
#
# Guess: a template with no fields withdraws the one of its number (RFC 7011 §8.1); over SCTP and TCP an exporter that changes
#   a template has to send it. The parser looks for it, so that it works.
# Seen: RuntimeError "dictionary changed size during iteration", out of `parse_packet`, for one template as for all of them
#   (number 2): the withdrawn template is taken out of the dictionary that is being walked. The records before it in
#   the message are lost with it. Over UDP, the transport of the library's own collector, withdrawals never come.
# Source: netflow/ipfix.py, IPFIXExportPacket.
# Output seen: "no withdrawal: 1 flows", "one: RuntimeError", "all: RuntimeError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install netflow==0.12.2 || exit 2
cat >run.py <<'PY'
import struct
import netflow

def single(number, body):
    return struct.pack("!HH", number, 4 + len(body)) + body

flows = single(2, struct.pack("!HHHH", 256, 1, 7, 2)) + single(256, struct.pack("!H", 5000))
for name, more in (("no withdrawal", b""), ("one", single(2, struct.pack("!HH", 256, 0))),
                   ("all", single(2, struct.pack("!HH", 2, 0)))):
    packet = struct.pack("!HHIII", 10, 16 + len(flows + more), 1700000000, 0, 1) + flows + more
    try:
        print(f"{name}: {len(netflow.parse_packet(packet, {'netflow': {}, 'ipfix': {}}).flows)} flows")
    except Exception as error:
        print(f"{name}: {type(error).__name__}")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "no withdrawal: 1 flows
one: RuntimeError
all: RuntimeError" ] || { echo "changed" >&2; exit 1; }
