#!/usr/bin/env bash
# pypacker 5.4: of the chunks that are bundled in an SCTP packet the list `chunks` shows the first.
#
# Guess: `SCTP(packet).chunks` has an entry for each chunk, as the plural and the type (a list) say.
# Seen: the list has one entry; the second chunk is part of what pypacker calls padding, so that a program which counts
#   messages or looks for an ABORT behind DATA misses it, without an error. The bytes are kept.
# Source: pypacker/layer4/sctp.py, SCTP._dissect; RFC 9260 §6.10.
# Output seen: "1 of 2 chunks"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" --quiet --disable-pip-version-check install pypacker==5.4
seen=$("$folder/v/bin/python" -c '
from pypacker.layer4.sctp import SCTP
packet = bytes.fromhex("138813880000000a00000000"
    "0003001500000001000000000000000068656c6c6f000000" "0003001100000002000000000000000078000000")
print(len(SCTP(packet).chunks), "of 2 chunks")' 2>/dev/null)
echo "$seen"
[ "$seen" = "1 of 2 chunks" ] || { echo "changed" >&2; exit 1; }
