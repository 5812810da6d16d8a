#!/usr/bin/env bash
# erlang_py 2.0.7 (PyPI): a map with the keys 1, 1.0 and true is read as a map of one pair, with the first key and the last value.
#
# Guess: in Erlang these are three keys (1 =:= 1.0 is false, and true is an atom), and the reader, which wraps what Python has no type for
#   (atoms, binaries, improper lists), keeps the three or reports a clash; what is read and written again is the same term.
# Seen: the atom true becomes True, and Python takes 1, 1.0 and True for one key of a dict: {1: 30}. Nothing is reported, and written again the
#   map has one pair. So with 0, 0.0 and false. Maps of settings by number and by switch, and histograms with bounds as integers and
#   floats, arrive short; the package's atoms are otherwise kept apart from texts with care.
# Source: erlang.py, _binary_to_term, the case of _TAG_MAP_EXT.
# Output seen: "read {1: 30}", "pairs 3 -> 1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v erlang_py==2.0.7 || exit 2
cat >run.py <<'PY'
import struct
import erlang

# #{1 => 10, 1.0 => 20, true => 30}
term = b"\x83\x74" + struct.pack(">I", 3)
term += b"\x61\x01\x61\x0a" + b"\x46" + struct.pack(">d", 1.0) + b"\x61\x14" + b"\x77\x04true\x61\x1e"
read = erlang.binary_to_term(term)
print(f"read {read}")
pairs = [struct.unpack_from(">I", data, 2)[0] for data in (term, erlang.term_to_binary(read))]
print(f"pairs {pairs[0]} -> {pairs[1]}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "read {1: 30}
pairs 3 -> 1" ] || { echo "changed" >&2; exit 1; }
