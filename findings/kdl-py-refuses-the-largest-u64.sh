#!/usr/bin/env bash
# kdl-py 1.2.0 (PyPI): the largest u64 does not fit in a u64, and (i64)9007199254740993 is 9007199254740992; in hexadecimal both are right.
#
# Guess: (u64)18446744073709551615 and (i64)9007199254740993 are whole numbers of 64 bits (KDL 1.0, reserved type annotations), and are what they say: the README has it that
#   the range is checked and the number is then an int of Python, which has no bounds.
# Seen: each decimal number is multiplied by 10.0 ** exponent, even where there is no exponent, before the range is looked at: the largest u64 is rounded to 2^64 and refused, and
#   identifiers above 2^53 are others, without an error. Hexadecimal numbers do not go this way.
# Source: kdl/types.py, Decimal.value; kdl/converters.py, u64 and i64 (limits of val.value, int of it).
# Output seen: "(u64)18446744073709551615: refused", "(u64)0xffffffffffffffff: 18446744073709551615", "(i64)9007199254740993: 9007199254740992", "(i64)0x20000000000001: 9007199254740993"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v kdl-py==1.2.0 || exit 2
cat >run.py <<'PY'
import kdl

for text in ("(u64)18446744073709551615", "(u64)0xffffffffffffffff", "(i64)9007199254740993", "(i64)0x20000000000001"):
    try:
        value = kdl.parse(f"node {text}").nodes[0].args[0]
    except kdl.ParseError:
        value = "refused"
    print(f"{text}: {value}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "(u64)18446744073709551615: refused
(u64)0xffffffffffffffff: 18446744073709551615
(i64)9007199254740993: 9007199254740992
(i64)0x20000000000001: 9007199254740993" ] || { echo "changed" >&2; exit 1; }
