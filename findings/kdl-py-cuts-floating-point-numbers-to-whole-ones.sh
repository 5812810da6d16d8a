#!/usr/bin/env bash
# kdl-py 1.2.0 (PyPI): (f64)1.5 is 1, and (f32)-0.25 is 0: what is marked as floating-point loses its fraction.
#
# Guess: a number with the reserved annotation f32 or f64 is a floating-point number (KDL 1.0, reserved type annotations for numbers), a float in Python, as the README
#   says of both annotations; a threshold of (f64)0.25 stays 0.25.
# Seen: both annotations give an int, cut towards zero, and the document is written again with it and without the annotation. The same number without an annotation is 1.5.
#   That whole numbers with the annotations are right hides it.
# Source: kdl/converters.py, toNative: if val.tag in ("f32", "f64"): return int(val.value).
# Output seen: "1.5: 1.5", "(f64)1.5: 1", "(f32)-0.25: 0", "(f64)2.0: 2", "written again: threshold 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v kdl-py==1.2.0 || exit 2
cat >run.py <<'PY'
import kdl

for text in ("1.5", "(f64)1.5", "(f32)-0.25", "(f64)2.0"):
    print(f"{text}: {kdl.parse(f'node {text}').nodes[0].args[0]}")
print(f"written again: {kdl.parse('threshold (f64)0.25')}", end="")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "1.5: 1.5
(f64)1.5: 1
(f32)-0.25: 0
(f64)2.0: 2
written again: threshold 0" ] || { echo "changed" >&2; exit 1; }
