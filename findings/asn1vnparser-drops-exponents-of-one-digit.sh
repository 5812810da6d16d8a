#!/usr/bin/env bash
# asn1vnparser 0.2.3 (PyPI): of "v REAL ::= 1.5E3" the value is 1.5, and all values of the text behind it are missing, silently.
#
# Guess: an exponent is any number of digits (X.680 §12.9), so that 1.5E3 is 1500, as 1.5E10 is 15000000000. Comments, -- to the
#   end of the line, stand anywhere (§12.6). parse_asn1_value_assignments gives all assignments of a text, or an error at the one
#   it cannot read.
# Seen: an exponent has to be 0 or to have two digits. 1.5E3 alone is an error, but in a list of assignments it is 1.5, and 2E-3 is
#   2, and the list ends there: the rest is taken for no assignment. The same at each comment, and at a type of two words, OCTET
#   STRING or BIT STRING.
# Who cares: SIM profiles (SGP.22, SAIP), test vectors and subscriber data in value notation: a short list looks like a whole one.
# Source: asn1vnparser/_grammar.py, realnumber (`[1-9][0-9]+` in the exponent); _asn1vnparser.py, gen: any ParseException is the
#   end.
# Output seen: "1.5E10: a=15000000000.0 b=4", "1.5E3: a=1.5", "2E-3: a=2", "1 -- comment: a=1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v asn1vnparser==0.2.3 pyparsing==2.4.7 bitarray==3.12.3 || exit 2
cat >run.py <<'PY'
from asn1vnparser import parse_asn1_value_assignments

for value in ("1.5", "1.5E10", "1.5E3", "2E-3", "1 -- comment"):
    found = parse_asn1_value_assignments(f"a Number ::= {value}\nb INTEGER ::= 4")
    print(f"{value}:", *(f"{one.value_name}={one.value}" for one in found))
PY
seen=$(PYTHONPATH=v python3 run.py) || exit 2
echo "$seen"
[ "$seen" = "1.5: a=1.5 b=4
1.5E10: a=15000000000.0 b=4
1.5E3: a=1.5
2E-3: a=2
1 -- comment: a=1" ] || { echo "changed" >&2; exit 1; }
