#!/usr/bin/env bash
# pamqp 4.0.1 (PyPI): 19.99 in a table is read back as 19.989999771118164, and 16777217.0 as 16777216.0.
#
# Guess: Python's floats are doubles, and a field table has the type d for them beside f (AMQP 0-9-1 §4.2.1, field-value); the package has an encoder for each and reads both, so that
#   a header comes back as it was given.
# Seen: each float of a table goes out as f, with 24 bits of precision; the encoder of doubles is not called. A double that another client sent is read exactly, and changed when it
#   is sent on. Nothing is raised.
# Source: pamqp/encode.py, encode_table_value (b'f' for float).
# Output seen: "sent: f 19.989999771118164", "sent: f 16777216.0", "sent: f 0.5", "double of others: 19.99"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pamqp==4.0.1 || exit 2
cat >run.py <<'PY'
import struct

from pamqp import decode, encode

for number in (19.99, 16777217.0, 0.5):
    octets = encode.field_table({"key": number})
    print(f"sent: {chr(octets[8])} {decode.field_table(octets)[1]['key']}")
entry = b"\3keyd" + struct.pack("!d", 19.99)
print(f"double of others: {decode.field_table(struct.pack('!I', len(entry)) + entry)[1]['key']}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "sent: f 19.989999771118164
sent: f 16777216.0
sent: f 0.5
double of others: 19.99" ] || { echo "changed" >&2; exit 1; }
