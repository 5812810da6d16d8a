#!/usr/bin/env bash
# digitmap 1.0.0 (PyPI): a dial plan with XXXX, with a small t or with a star in brackets is no digit map, and one with A does not match a.
#
# Guess: the package is for the digit maps of RFC 3435, as its README says, whose §2.1.5 has "X" or "x" for a digit, "T" or "t" for the timer, letters of either
#   case, and any of these letters, also # and *, within brackets; a map is a case-insensitive text there.
# Seen: UnexpectedCharacters for X, for t and for brackets with anything but digits, so that plans of many telephones, which write XXXX, are refused as a
#   whole. A to F may be of either case in a map, and match that case alone. Maps in the case of the README's table are right, with
#   full and partial matches.
# Source: digitmap/digitmap.lark (timer, wildcard, range) and _matcher.py, match (re.fullmatch without IGNORECASE).
# Output seen: "[1-7]xxx: full", "[1-7]XXX: UnexpectedCharacters", "9011x.t: UnexpectedCharacters", "[0-9*#]: UnexpectedCharacters", "Axx: None" (dialled a12)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v digitmap==1.0.0 lark==0.11.3 || exit 2
cat >run.py <<'PY'
import digitmap
from lark.exceptions import UnexpectedCharacters

for expression, dialled in (("[1-7]xxx", "2345"), ("[1-7]XXX", "2345"), ("9011x.t", "90115T"), ("[0-9*#]", "*"), ("Axx", "a12")):
    try:
        result = digitmap.match(expression, dialled)
        print(f"{expression}: {'full' if result and result.full_matches else result}")
    except UnexpectedCharacters as error:
        print(f"{expression}: {type(error).__name__}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "[1-7]xxx: full
[1-7]XXX: UnexpectedCharacters
9011x.t: UnexpectedCharacters
[0-9*#]: UnexpectedCharacters
Axx: None" ] || { echo "changed" >&2; exit 1; }
