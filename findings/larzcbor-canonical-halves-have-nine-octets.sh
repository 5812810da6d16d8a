#!/usr/bin/env bash
# larzcbor 0.1.0 (PyPI): its canonical form of 1.5 has nine octets, and a large number that others wrote comes back as octets, without a sign.
#
# Guess: "canonical CBOR bytes (RFC 8949)" is the deterministic form of §4.2, of which the first rule is that the shortest form is used, for
#   floating-point numbers too (§4.2.1, §4.2.2): 1.5 is f9 3e00. Tags that are not known can be given with their number, or refused.
# Seen: all floating-point numbers have 64 bits, so that a hash over the bytes differs from that of any other canonical encoder (cbor2 here). Tags are
#   dropped from what they mark: 2^64 and -2^64 - 1, bignums of the tags 2 and 3, are the same octets, and a time is a number.
# Source: larzcbor/cbor.py, encode (float) and _Reader.item (major == 6).
# Output seen: "1.5: fb3ff8000000000000, cbor2 f93e00", "18446744073709551616: 010000000000000000", "-18446744073709551617: 010000000000000000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v larzcbor==0.1.0 cbor2==5.6.5 || exit 2
cat >run.py <<'PY'
import cbor2
from larzcbor import decode, encode

print(f"1.5: {encode(1.5).hex()}, cbor2 {cbor2.dumps(1.5, canonical=True).hex()}")
for number in 2**64, -(2**64) - 1:
    print(f"{number}: {decode(cbor2.dumps(number)).hex()}")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "1.5: fb3ff8000000000000, cbor2 f93e00
18446744073709551616: 010000000000000000
-18446744073709551617: 010000000000000000" ] || { echo "changed" >&2; exit 1; }
