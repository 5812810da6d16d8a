#!/usr/bin/env bash
# bind9-records 1.0.0 (PyPI): the Ed25519 key of RFC 8463's own example cannot be read, and one that it writes cannot be used.
#
# Guess: k=ed25519 is known, so that p= is the key itself, 32 octets or 44 letters of base64 (RFC 8463, §4), while an RSA key is a
#   SubjectPublicKeyInfo (RFC 6376, §3.6.1).
# Seen: each key is taken for a SubjectPublicKeyInfo. The record of RFC 8463, A.2, is a ValueError, and a key that is given as an object is written with 12
#   octets of ASN.1 in front of it, 60 letters instead of 44: verifiers find 44 octets where 32 are to be, and each signature fails. RSA is right.
# Source: bind9_records/text/dkim.py, DKIMData.__str__ (PublicFormat.SubjectPublicKeyInfo) and _load_public_key.
# Output seen: "RFC 8463: ValueError", "44 letters expected, 60 written, behind MCowBQYDK2VwAyEA"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-compile --target v bind9-records==1.0.0 || exit 2
cat >run.py <<'PY'
import base64
import re
from bind9_records import DKIMData, Record
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

EXAMPLE = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
try:
    Record(f'brisbane._domainkey.example. IN TXT "v=DKIM1; k=ed25519; p={EXAMPLE}"')
    print("RFC 8463: read")
except ValueError as error:
    print(f"RFC 8463: {type(error).__name__}")
written = str(DKIMData(public_key=Ed25519PublicKey.from_public_bytes(base64.b64decode(EXAMPLE))))
key = re.search("p=([^;]*);", written)[1]
print(f"{len(EXAMPLE)} letters expected, {len(key)} written, {key[:16]} and {'the same' if key[16:] == EXAMPLE else 'others'}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "RFC 8463: ValueError
44 letters expected, 60 written, MCowBQYDK2VwAyEA and the same" ] || { echo "changed" >&2; exit 1; }
