#!/usr/bin/env bash
# GSMEncoding 0.0.2 (PyPI): "for GSM (SMS)", it packs codes of ASCII: "@" arrives as an inverted exclamation mark, "$_" as other signs, and eight letters end in an "@".
#
# Guess: the seven bits are those of the GSM alphabet, in which @ is 00, $ is 02 and _ is 11 (TS 23.038 §6.2.1); eight letters fill seven octets exactly (§6.1.2.1),
#   and what is read as 00 is "@".
# Seen: the codes of ASCII are packed: 40, 24 and 5f, which a phone shows as ¡, ¤ and §. A text of eight letters, and each multiple, has an octet of zeros
#   too many, one more septet, a last "@". The other way, a received "@" and "_" become NUL and DC1. Letters and digits agree in both tables, so that the
#   examples of the package, which strip NULs from what is read, are right.
# Source: GSMEncoding.py, gsm7bitencode (data.encode("ascii"); encode1_length += 8 - encode1_length % 8, which adds 8 where nothing is missing).
# Output seen: "@: 40", "$_: a42f", "testtest: f4f29c4e2fcfe900", "received @: '\x00\x00'"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v GSMEncoding==0.0.2 || exit 2
cat >run.py <<'PY'
from GSMEncoding import gsm7bitdecode, gsm7bitencode

for text in ("@", "$_", "testtest"):
    print(f"{text}: {gsm7bitencode(text).lower()}")
print(f"received @: {gsm7bitdecode('00')!r}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "@: 40
\$_: a42f
testtest: f4f29c4e2fcfe900
received @: '\\x00\\x00'" ] || { echo "changed" >&2; exit 1; }
