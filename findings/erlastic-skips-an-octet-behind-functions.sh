#!/usr/bin/env bash
# erlastic 2.0.0 (PyPI): what follows a function such as fun lists:map/2 in a tuple or list is read from its second octet on.
#
# Guess: the term {fun lists:map/2, 5} is a tuple of an Export and the number 5, as {5, fun lists:map/2} and the function alone are; the length of
#   EXPORT_EXT is that of its three parts, a module, a name and a small integer (the external term format's own description).
# Seen: the reader adds one to the position that the arity's reader has moved already. 5 (97 5) is then a tag 5, and a KeyError; other
#   terms behind it turn into others or into errors with a number that says nothing. A function at the end of a message is right, which
#   is where a callback mostly stands.
# Source: erlastic/codec.py, decode_113 (offset+1).
# Output seen: "alone: #Fun<lists.map.2>", "5 in front: (5, #Fun<lists.map.2>)", "5 behind: KeyError 5"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v erlastic==2.0.0 || exit 2
cat >run.py <<'PY'
import erlastic

def show(name, term):
    try:
        print(f"{name}: {erlastic.decode(bytes([131]) + term)}")
    except KeyError as error:
        print(f"{name}: KeyError {error}")

function = b"q" + b"d\x00\x05lists" + b"d\x00\x03map" + b"a\x02"
five = b"a\x05"
show("alone", function)
show("5 in front", b"h\x02" + five + function)
show("5 behind", b"h\x02" + function + five)
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "alone: #Fun<lists.map.2>
5 in front: (5, #Fun<lists.map.2>)
5 behind: KeyError 5" ] || { echo "changed" >&2; exit 1; }
