#!/usr/bin/env bash
# bson 0.5.10 (PyPI): the elements MinKey and MaxKey have the value of the element before them.
#
# Guess: a type that a reader does not know is an error, or is skipped and left out; MinKey and MaxKey (7f, ff) are valid elements without a value (BSON
#   1.1).
# Seen: there is no branch for what is unknown: the name gets the value that was read last. {"low": 5, "high": MaxKey}, the bounds of a shard, is
#   {"low": 5, "high": 5}. If such an element is the first, the error is of Python, about a variable.
# Source: bson/codec.py, decode_document (if ... elif without else).
# Output seen: "{'low': 5, 'high': 5, 'name': 'a'}", "first: UnboundLocalError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v bson==0.5.10 six==1.17.0 python-dateutil==2.9.0 || exit 2
cat >run.py <<'PY'
import bson

document = b"\x10low\x00\x05\x00\x00\x00" + b"\x7fhigh\x00" + b"\x02name\x00\x02\x00\x00\x00a\x00"
document = (len(document) + 5).to_bytes(4, "little") + document + b"\x00"
print(bson.loads(document))
alone = b"\x0a\x00\x00\x00\x7flow\x00\x00"
try:
    print(bson.loads(alone))
except Exception as error:
    print(f"first: {type(error).__name__}")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "{'low': 5, 'high': 5, 'name': 'a'}
first: UnboundLocalError" ] || { echo "changed" >&2; exit 1; }
