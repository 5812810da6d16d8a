#!/usr/bin/env bash
# dpkt 1.9.8: an SCTP packet whose checksum is 0 comes out of dpkt with another one.
#
# Guess: what is parsed and written again is the same bytes; a checksum is computed for packets that are built.
# Seen: a checksum of 0 stands for "compute it when the packet is written". A captured packet with a true zero checksum
#   (RFC 9653: WebRTC data channels send them) is changed by copying it from one file to another. Any other checksum,
#   right or wrong, is kept.
# Source: dpkt/sctp.py, SCTP.__bytes__; RFC 9653 §5.
# Output seen: "zero kept: False", "other kept: True"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" --quiet --disable-pip-version-check install dpkt==1.9.8
seen=$("$folder/v/bin/python" -c '
from dpkt.sctp import SCTP
chunk = bytes.fromhex("0003001500000001000000000000000068656c6c6f000000")
for name, checksum in ("zero", "00000000"), ("other", "12345678"):
    packet = bytes.fromhex("138813880000000a" + checksum) + chunk
    print(name, "kept:", bytes(SCTP(packet)) == packet)')
echo "$seen"
[ "$seen" = $'zero kept: False\nother kept: True' ] || { echo "changed" >&2; exit 1; }
