#!/usr/bin/env bash
# scapy 2.8.0: the field `delay_sack` of an SCTP DATA chunk asks for a SACK without delay.
#
# Guess: `delay_sack=1` tells the receiver that it may delay its SACK.
# Seen: it sets the I bit (0x08 of the flags), with which RFC 7053 and RFC 9260 §3.3.1 ask for a SACK at once: the name
#   says the opposite of what the bit does. Whoever measures delayed acknowledgements with it measures immediate ones.
# Source: scapy/layers/sctp.py, class SCTPChunkData; RFC 7053 §3.
# Output seen: 000b001500000001000000000000002e68656c6c6f000000
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" --quiet --disable-pip-version-check install scapy==2.8.0
seen=$("$folder/v/bin/python" -c '
from scapy.layers.sctp import SCTPChunkData
print(bytes(SCTPChunkData(delay_sack=1, beginning=1, ending=1, tsn=1, proto_id=46, data=b"hello")).hex())')
echo "$seen"
[ "$seen" = 000b001500000001000000000000002e68656c6c6f000000 ] || { echo "changed" >&2; exit 1; }
