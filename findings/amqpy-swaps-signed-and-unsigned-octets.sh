#!/usr/bin/env bash
# amqpy 0.13.1 (PyPI): in a table of headers a signed octet of -1 is read as 255 and an unsigned one of 200 as -56.
#
# Guess: b is a short-short-int, B a short-short-uint (AMQP 0-9-1, §4.2.1, field-value, and the broker's errata): 62 ff is -1, 42 c8 is 200.
# Seen: the two are read the wrong way round, the other widths (U and u, I and i, L and l) rightly. Values from 0 to 127 are the same either way, so that counters
#   and priorities pass until they grow. What other clients put into such headers (Java's Byte, Go's int8, a temperature) changes its sign.
#   Integers that the library writes are all of 32 bits, and above 2^31 an error.
# Source: amqpy/serialization.py, AMQPReader.read_item ('>B' for b, '>b' for B) and AMQPWriter.write_item.
# Output seen: "b -1: 255", "B 200: -56", "U -1: -1", "u 40000: 40000", "written 2147483648: error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v amqpy==0.13.1 || exit 2
cat >run.py <<'PY'
import io
import struct
from amqpy.serialization import AMQPReader, AMQPWriter

for tag, form, value in ("b", ">b", -1), ("b", ">b", 100), ("B", ">B", 200), ("U", ">h", -1), ("u", ">H", 40000):
    item = b"\1n" + tag.encode() + struct.pack(form, value)
    read = AMQPReader(io.BytesIO(struct.pack(">I", len(item)) + item)).read_table()
    print(f"{tag} {value}: {read['n']}")
for value in 2**31 - 1, 2**31:
    writer = AMQPWriter()
    try:
        writer.write_table({"n": value})
        print(f"written {value}: {writer.getvalue()[6:].hex()}")
    except struct.error:
        print(f"written {value}: error")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "b -1: 255
b 100: 100
B 200: -56
U -1: -1
u 40000: 40000
written 2147483647: 497fffffff
written 2147483648: error" ] || { echo "changed" >&2; exit 1; }
