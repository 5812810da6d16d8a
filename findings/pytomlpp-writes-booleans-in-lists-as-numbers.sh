#!/usr/bin/env bash
# pytomlpp 1.1.0 (PyPI): true and false in a list are written as 1 and 0.
#
# Guess: a boolean is written as one wherever it stands (TOML 1.0, Boolean); numbers and booleans are different types, so that a
#   reader with a schema refuses one for the other.
# Seen: {"a": True, "b": [True, False]} becomes a = true, b = [ 1, 0 ]. A program in a language with strict types, as
#   Rust's serde, does not read the file; one in Python goes on with numbers. In a table of the list they stay.
# Source: src/encoding_decoding.cpp, py_list_to_toml_array, which asks for integers first; a bool is one.
# Output seen: "plain true, in a list [1, 0], in a table of a list true"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install pytomlpp==1.1.0 || exit 2
cat >run.py <<'PY'
import json
import tomllib
import pytomlpp

read = tomllib.loads(pytomlpp.dumps({"a": True, "b": [True, False], "c": [{"d": True}]}))
shown = [json.dumps(value) for value in (read["a"], read["b"], read["c"][0]["d"])]
print("plain {}, in a list {}, in a table of a list {}".format(*shown))
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "plain true, in a list [1, 0], in a table of a list true" ] || { echo "changed" >&2; exit 1; }
