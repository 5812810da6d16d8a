#!/usr/bin/env bash
# dpkt 1.9.8: an SCTP chunk that is built from its fields cannot be written.
#
# Guess: `bytes(Chunk(type=..., flags=..., data=...))` gives the chunk, as for all of dpkt's headers; the library
#   computes the packet's checksum, so it is meant to build packets.
# Seen: AttributeError: the chunk has no attribute `padding`, which only parsing sets. A packet is built by handing the
#   chunks over as bytes of one's own making.
# Source: dpkt/sctp.py, Chunk.__bytes__ and Chunk.unpack.
# Output seen: AttributeError
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" --quiet --disable-pip-version-check install dpkt==1.9.8
seen=$("$folder/v/bin/python" -c '
from dpkt.sctp import Chunk
try:
    print(bytes(Chunk(type=11, flags=0, len=4, data=b"")).hex())
except AttributeError as error:
    print(type(error).__name__, error)')
echo "$seen"
case $seen in AttributeError*padding*) ;; *) echo "changed" >&2; exit 1 ;; esac
