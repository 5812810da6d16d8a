#!/usr/bin/env bash
# scapy 2.8.0, layers.quic: the version decides nothing, so that Version Negotiation is an Initial and a QUIC v2 Initial is 0-RTT.
#
# Guess: a long header of version 0 is Version Negotiation (RFC 9000 §17.2.1), whatever its unused bits are;
#   the two bits of the packet type are read by the version: in version 2 (RFC 9369 §3.2) Initial is 01, 0-RTT 10, Retry 00.
# Seen: the fixed bit alone decides. Servers that share a port with other protocols set it in Version Negotiation, too, as RFC 9000
#   asks them to: it is shown as an Initial, whose token length is the first byte of the versions; the list of versions is not
#   there. An Initial with the bit cleared, which RFC 9287 allows, is Version Negotiation of what were its token and length. Of
#   version 2 Initial is 0-RTT with a packet number made of the length, and Retry an Initial. An interop run of both versions
#   counts 0-RTT where there is none.
# Source: scapy/layers/quic.py, QUIC.dispatch_hook.
# Output seen: "negotiation, bit set: QUIC - Initial", "version 2 Initial: QUIC - 0-RTT"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install scapy==2.8.0 || exit 2
cat >run.py <<'PY'
from scapy.layers.quic import QUIC

def show(name, first, version, rest):
    ids = bytes.fromhex("04aabbccdd" + "04eeff0011")
    packet = QUIC(bytes([first]) + version.to_bytes(4, "big") + ids + rest)
    shown = {field: packet.fields[field] for field in ("SupportedVersions", "PacketNumber") if field in packet.fields}
    print(f"{name}: {packet.name} {shown}")

versions = bytes.fromhex("00000001" + "6b3343cf")
initial = bytes.fromhex("00" + "4011" + "07") + bytes(16)
show("negotiation, bit clear", 0x80, 0, versions)
show("negotiation, bit set", 0xC0, 0, versions)
show("version 1 Initial", 0xC0, 1, initial)
show("version 1 Initial, greased bit", 0x80, 1, initial)
show("version 2 Initial", 0xD0, 0x6B3343CF, initial)
show("version 2 Retry", 0xC0, 0x6B3343CF, bytes(24))
PY
seen=$(v/bin/python run.py 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "negotiation, bit clear: QUIC - Version Negotiation {'SupportedVersions': [1, 1798521807]}
negotiation, bit set: QUIC - Initial {'PacketNumber': 0}
version 1 Initial: QUIC - Initial {'PacketNumber': 7}
version 1 Initial, greased bit: QUIC - Version Negotiation {'SupportedVersions': [4198663, 0, 0, 0, 0]}
version 2 Initial: QUIC - 0-RTT {'PacketNumber': 64}
version 2 Retry: QUIC - Initial {'PacketNumber': 0}" ] || { echo "changed" >&2; exit 1; }
