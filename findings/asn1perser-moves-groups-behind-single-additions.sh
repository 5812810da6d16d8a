#!/usr/bin/env bash
# asn1PERser 0.4.3 (PyPI): additions in double brackets change places with those without, in what is written and in what is read.
#
# Guess: additions are numbered in the order of the text, a group counting as one (X.691, §19.7 to §19.9): in { a, ..., [[ c ]], e } the first bit and the first
#   open type are the group's. Protocols write one addition in brackets and the next without, as their versions go.
# Seen: the class that parse_asn1_schema writes has one list of single additions and one of groups, and no order between the two; all groups are taken to be
#   behind all single ones. A peer's c = 9, e = TRUE is read as e = FALSE, c = 128, without an error, since the two open types have one
#   octet each. Groups behind the single additions are right. The peer is asn1tools 0.169.0, with which Erlang's asn1ct agrees.
# Source: componentType = rootComponent + extensionAddition + extensionAdditionGroups, in the template of a SEQUENCE. The class below is
#   what it writes for the schema; it takes half a minute to do so.
# Output seen: "peer 903801090180, written 903801800109, read c 128, e False"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-compile --target v asn1PERser==0.4.3 asn1tools==0.169.0 || exit 2
cat >run.py <<'PY'
import asn1tools
from asn1PERser import decode, encode
from asn1PERser.classes.data.builtin import BooleanType, IntegerType, SequenceType
from asn1PERser.classes.types.constraint import ExtensionMarker, ValueRange
from asn1PERser.classes.types.type import AdditiveNamedTypes
from pyasn1.type.namedtype import NamedType

SCHEMA = """Example DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Grouped ::= SEQUENCE { a INTEGER (0..7), ..., [[ c INTEGER (0..255) ]], e BOOLEAN }
END"""

class Grouped(SequenceType):
    class a(IntegerType):
        subtypeSpec = ValueRange(0, 7)

    class c(IntegerType):
        subtypeSpec = ValueRange(0, 255)

    subtypeSpec = ExtensionMarker(True)
    rootComponent = AdditiveNamedTypes(NamedType("a", a()))
    extensionAddition = AdditiveNamedTypes(NamedType("e", BooleanType()))
    extensionAdditionGroups = [AdditiveNamedTypes(NamedType("c", c()))]
    componentType = rootComponent + extensionAddition + extensionAdditionGroups

value = Grouped()
value["a"], value["c"], value["e"] = 1, 9, True
sent = asn1tools.compile_string(SCHEMA, "per").encode("Grouped", {"a": 1, "c": 9, "e": True})
read = decode(per_stream=sent, asn1Spec=Grouped())
print(f"peer {sent.hex()}, written {encode(value).hex()}, read c {int(read['c'])}, e {bool(read['e'])}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "peer 903801090180, written 903801800109, read c 128, e False" ] || { echo "changed" >&2; exit 1; }
