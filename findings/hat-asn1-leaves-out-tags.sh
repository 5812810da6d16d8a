#!/usr/bin/env bash
# hat-asn1 0.7.1 (PyPI): a tag takes the place of a CHOICE's own, so that an MSISDN is read as an IMSI; automatic tags are not given.
#
# Guess: a module that is accepted is encoded by its rules: a tag before a CHOICE is explicit also where tags are implicit, since a
#   CHOICE has no tag that could be replaced (X.680 §31.2.7), and AUTOMATIC TAGS number the components [0], [1], ... (§25.3). MAP,
#   whose modules have IMPLICIT TAGS, is full of the first: the subscriber of an AnyTimeInterrogation is "[0] SubscriberIdentity".
# Seen: with IMPLICIT TAGS the octet of the alternative is not written, and is not looked at in what a peer wrote: the outer [0] is
#   taken for the alternative [0], and an MSISDN comes out as an IMSI, without an error. With AUTOMATIC TAGS all components keep
#   their universal tags: the second of two optional integers is read as the first, a peer's as nothing at all. With EXPLICIT
#   TAGS, and with tags on other types, all agrees with asn1tools.
# Who cares: Python tools for SIGTRAN; the package promises BER and names no limit of tagging.
# Source: hat/asn1/parser.py ('AUTOMATIC TAGS': True, the same as implicit); hat/asn1/ber.py, PrefixedType in both directions.
# Output seen: "IMPLICIT: msisdn, hat 3003800121, read as imsi; asn1tools 3005a003810121, read as imsi",
#   "AUTOMATIC: b, hat 3003020102, read as a; asn1tools 3003810102, read as nothing"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install hat-asn1==0.7.1 asn1tools==0.169.0 || exit 2
cat >run.py <<'PY'
import asn1tools
from hat import asn1


def show(tags, definitions, name, value, chosen):
    text = f"M DEFINITIONS {tags} TAGS ::= BEGIN {definitions} END"
    codec = asn1.ber.BerEncoder(asn1.create_repository(text))
    kind = asn1.TypeRef("M", name)
    read = lambda octets: chosen(codec.decode_value(kind, codec.decode_entity(octets)[0]))
    own = bytes(codec.encode_entity(codec.encode_value(kind, value)))
    peer = asn1tools.compile_string(text, "ber").encode(name, value)
    print(f"{tags}: {chosen(value)}, hat {own.hex()}, read as {read(own)}; asn1tools {peer.hex()}, read as {read(peer)}")


argument = """Argument ::= SEQUENCE { subscriberIdentity [0] Identity }
Identity ::= CHOICE { imsi [0] OCTET STRING, msisdn [1] OCTET STRING }"""
for tags in ("EXPLICIT", "IMPLICIT"):
    show(tags, argument, "Argument", {"subscriberIdentity": ("msisdn", b"!")}, lambda value: value["subscriberIdentity"][0])
pair = "Pair ::= SEQUENCE { a INTEGER OPTIONAL, b INTEGER OPTIONAL }"
show("AUTOMATIC", pair, "Pair", {"b": 2}, lambda value: "".join(value) or "nothing")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "EXPLICIT: msisdn, hat 3007a005a103040121, read as msisdn; asn1tools 3007a005a103040121, read as msisdn
IMPLICIT: msisdn, hat 3003800121, read as imsi; asn1tools 3005a003810121, read as imsi
AUTOMATIC: b, hat 3003020102, read as a; asn1tools 3003810102, read as nothing" ] || { echo "changed" >&2; exit 1; }
