#!/usr/bin/env bash
# snmp-agent 0.2.3 (PyPI): a version 1 manager gets the exceptions of version 2, at the end of each walk as well.
#
# Guess: the agent, which reads version 1 and answers in version 1, answers a request for what it lacks with error-status noSuchName (2) and
#   error-index (RFC 1157, §4.1.2 and §4.1.3; RFC 3584, "Mapping SNMPv2 Exceptions", says so for agents of both): version 1 has no
#   exceptions.
# Seen: handle_request, which the README calls, looks at the command and not at the version: the response of version 1 has noError and the value 80 00
#   (noSuchObject) or 82 00 (endOfMibView), tags that version 1 does not have. A manager that keeps to version 1 takes the answer for malformed
#   and asks until it gives up: its walk ends in a time-out instead of at the end. With version 2c all is right.
# Source: snmp_agent/utils.py, get and get_next.
# Output seen: "version 1, get: error 0, value 8000", "version 1, next: error 0, value 8200", "version 2c, next: error 0, value 8200"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v snmp-agent==0.2.3 asn1==2.7.1 || exit 2
cat >run.py <<'PY'
from snmp_agent import snmp, utils

mine = [snmp.VariableBinding("1.3.6.1.2.1.1.1.0", snmp.OctetString("system"))]
for version, name in (0, "version 1"), (1, "version 2c"):
    for tag, command, last in (0xA0, "get", 9), (0xA1, "next", 9):
        names = bytes.fromhex("300e300c06082b060102010101") + bytes([last]) + bytes.fromhex("0500")
        body = bytes.fromhex("020107020100020100") + names
        message = bytes([2, 1, version]) + b"\x04\x06public" + bytes([tag, len(body)]) + body
        request = snmp.decode_request(bytes([0x30, len(message)]) + message)
        response = request.create_response(utils.handle_request(req=request, vbs=mine))
        octets = snmp.encode_response(response)
        assert octets[4] == version
        print(f"{name}, {command}: error {response.error_status}, value {octets[-2:].hex()}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "version 1, get: error 0, value 8000
version 1, next: error 0, value 8200
version 2c, get: error 0, value 8000
version 2c, next: error 0, value 8200" ] || { echo "changed" >&2; exit 1; }
