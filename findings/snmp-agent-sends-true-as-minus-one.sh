#!/usr/bin/env bash
# snmp-agent 0.2.3 (PyPI): a truth value of True is answered with -1, and one of False with 0.
#
# Guess: Boolean is for objects of the type TruthValue, the only boolean that SNMP has: an INTEGER with true(1) and false(2) (RFC 2579, §2), as in
#   ifPromiscuousMode and ifConnectorPresent of the IF-MIB.
# Seen: the tag is that of an INTEGER, the octet that of a BOOLEAN: 02 01 ff and 02 01 00. Neither is a value of TruthValue. A manager that asks
#   for 1 finds all false, one that asks for 2 finds none false; those that show names show -1 and 0. Integer(1) and Integer(2) are right.
# Source: snmp_agent/snmp.py, Boolean (ASN1.INTEGER with asn1.Encoder._encode_boolean).
# Output seen: "True: 0201ff is -1", "False: 020100 is 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v snmp-agent==0.2.3 asn1==2.7.1 || exit 2
cat >run.py <<'PY'
from snmp_agent import snmp

for value in True, False:
    request = snmp.SNMPRequest(snmp.VERSION.V2C, "public", snmp.SnmpGetContext(), 1, [])
    name = "1.3.6.1.2.1.31.1.1.1.16.1"
    octets = snmp.encode_response(request.create_response([snmp.VariableBinding(name, snmp.Boolean(value))]))
    print(f"{value}: {octets[-3:].hex()} is {int.from_bytes(octets[-1:], 'big', signed=True)}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "True: 0201ff is -1
False: 020100 is 0" ] || { echo "changed" >&2; exit 1; }
