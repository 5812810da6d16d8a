#!/usr/bin/env bash
# flunn 1.0.0 (PyPI): the list of simple(32) and 1 is read as None and -1.
#
# Guess: a simple value from 32 on is two octets, f8 20 (RFC 8949 §3.3); a decoder that knows none of them gives an object for it or an error, and
#   goes on behind it.
# Seen: what is not in the list of major type 7 is None, without an error, and the second octet stays to be read as the next item: 20 is -1, 40 to 57
#   would take octets for a string. The true 1 is left over. A half, single or double is right.
# Source: flunn/decoder.py, Decoder.decode_other.
# Output seen: "simple(32), 1: [None, -1]", "1.5, 1: [1.5, 1]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v flunn==1.0.0 || exit 2
cat >run.py <<'PY'
import flunn

for name, content in (("simple(32), 1", "82f82001"), ("1.5, 1", "82f93e0001")):
    print(f"{name}: {flunn.loads(bytes.fromhex(content))!r}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "simple(32), 1: [None, -1]
1.5, 1: [1.5, 1]" ] || { echo "changed" >&2; exit 1; }
