#!/usr/bin/env bash
# simplepcap 0.1.9 (PyPI): the parser's list of iterators is empty with two of them at work, and they read on after it was closed.
#
# Guess: as the documentation has it, Parser.iterators is the "List of iterators over the packets in the file", an iterator leaves it at its
#   end, and one that is asked after close() or the end of a "with" raises ReadAfterCloseError.
# Seen: no iterator is ever put into the list, so that close() finds none to close: each goes on to the end of the file, whose descriptor stays open
#   until the garbage collector comes. The exception is defined and documented, and never raised. A new iterator of
#   a closed parser is refused, as documented.
# Source: simplepcap/parsers/default/parser.py, DefaultParser.__iter__ (which does not touch __iterators) and close.
# Output seen: "listed 0 of 2", "after close: 2", "new one: FileIsNotOpenError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v simplepcap==0.1.9 || exit 2
cat >run.py <<'PY'
import struct
from simplepcap.exceptions import FileIsNotOpenError, ReadAfterCloseError
from simplepcap.parsers import DefaultParser

with open("three.pcap", "wb") as file:
    file.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    for number in range(3):
        file.write(struct.pack("<IIII", number, 0, 1, 1) + bytes([number]))
with DefaultParser(file_path="three.pcap") as parser:
    first, second = iter(parser), iter(parser)
    next(first)
    next(second)
    print(f"listed {len(parser.iterators)} of 2")
try:
    print(f"after close: {len(list(first))}")
except ReadAfterCloseError as error:
    print(f"after close: {type(error).__name__}")
try:
    iter(parser)
    print("new one: made")
except FileIsNotOpenError as error:
    print(f"new one: {type(error).__name__}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "listed 0 of 2
after close: 2
new one: FileIsNotOpenError" ] || { echo "changed" >&2; exit 1; }
