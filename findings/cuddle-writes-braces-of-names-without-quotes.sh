#!/usr/bin/env bash
# cuddle 1.0.6 (PyPI): a node named "a{}" is written as a{}, which is a node "a" with an empty list of children, and one named "-1" as a number.
#
# Guess: names that are no bare identifiers are quoted by dumps: those with { } ( ) < > [ ] anywhere, and those that begin with a sign and a digit (KDL 1.0, identifiers). The
#   package's reader knows these rules.
# Seen: only the first character is looked at for most of these: "a{}" is written bare and read as "a" by loads of the same package, without an error; "a(b)", "a<b" and "-1" are
#   written bare and refused by it. A name with a blank or an equals sign is quoted.
# Source: cuddle/encoder.py, ident_re: the class of the later characters lacks most of the forbidden ones, and a sign before a digit is not told from others.
# Output seen: "a{}: a{}, read as a", "a(b): a(b), refused", "-1: -1, refused", "a b: \"a b\", read as a b"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v cuddle==1.0.6 regex==2024.11.6 tatsu==5.15.1 || exit 2
cat >run.py <<'PY'
from cuddle import Document, Node, NodeList, dumps, loads
from cuddle.exception import KDLDecodeError

for name in ("a{}", "a(b)", "-1", "a b"):
    text = dumps(Document(NodeList([Node(name, None)]))).strip()
    try:
        result = f"read as {loads(text).nodes[0].name}"
    except KDLDecodeError:
        result = "refused"
    print(f"{name}: {text}, {result}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = 'a{}: a{}, read as a
a(b): a(b), refused
-1: -1, refused
a b: "a b", read as a b' ] || { echo "changed" >&2; exit 1; }
