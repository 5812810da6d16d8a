#!/usr/bin/env bash
# scapy 2.8.0: behind an ECNE or CWR chunk nothing of an SCTP packet is decoded.
#
# Guess: chunks carry their length, so a chunk without a class of its own is shown as bytes and the next one is decoded;
#   the lists of chunk types and of parameters have names for ECNE and CWR.
# Seen: such a chunk and all behind it become one Raw. CWR travels in front of DATA and ECNE in front of SACK (RFC 9260
#   Appendix A), so that `packet[SCTPChunkData]` and filters by it miss messages exactly where a path is congested. An
#   ASCONF, a PAD or an I-DATA in the same place is passed.
# Source: scapy/layers/sctp.py, sctpchunktypescls and _SCTPChunkGuessPayload; RFC 9260 §3.2.
# Output seen: "CWR: Raw", "ECNE: Raw", "ABORT: SCTPChunkAbort SCTPChunkData"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" --quiet --disable-pip-version-check install scapy==2.8.0
seen=$("$folder/v/bin/python" -W ignore -c '
from scapy.layers.sctp import SCTP

def layers(first):
    data = "0003001400000002000000000000002e78787878"
    packet = SCTP(bytes.fromhex("138813880000000a00000000" + first + data))
    return [type(layer).__name__ for layer in packet.iterpayloads()][1:]

for name, first in ("CWR", "0d00000800000001"), ("ECNE", "0c00000800000001"), ("ABORT", "06000004"):
    print(f"{name}:", *layers(first))' 2>/dev/null)
echo "$seen"
[ "$seen" = 'CWR: Raw
ECNE: Raw
ABORT: SCTPChunkAbort SCTPChunkData' ] || { echo "changed" >&2; exit 1; }
