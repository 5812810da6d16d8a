#!/usr/bin/env bash
# doipclient 1.2.2 (PyPI): the activation type CentralSecurity is e1 (hex), which belongs to the vehicle maker; the true one, e0, cannot be read.
#
# Guess: ISO 13400-2, table of activation types: 00 default, 01 by regulation, e0 central security, e1 to ff of the vehicle maker; all of them can be
#   read, since the maker's have no names. Wireshark has the same.
# Seen: the enumeration has e1. A vehicle gets a request for something of its maker; and a program in a vehicle's place that reads a request with e0, or
#   with e2 of a maker, gets ValueError instead of the type.
# Source: doipclient/messages.py, RoutingActivationRequest.ActivationType and activation_type.
# Output seen: "CentralSecurity is sent as e1", "00: Default", "01: DiagnosticRequiredByRegulation", "e0: 224 is not a valid RoutingActivationRequest.ActivationType", "e1: CentralSecurity", "e2: 226 is not a valid RoutingActivationRequest.ActivationType"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v doipclient==1.2.2 || exit 2
cat >run.py <<'PY'
from doipclient.messages import RoutingActivationRequest as Request

sent = Request(0x0E00, Request.ActivationType.CentralSecurity).pack()
print(f"CentralSecurity is sent as {sent[2]:02x}")
for kind in (0x00, 0x01, 0xE0, 0xE1, 0xE2):
    request = Request.unpack(bytes([0x0E, 0x00, kind, 0, 0, 0, 0]), 7)
    try:
        print(f"{kind:02x}: {request.activation_type.name}")
    except ValueError as error:
        print(f"{kind:02x}: {error}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "CentralSecurity is sent as e1
00: Default
01: DiagnosticRequiredByRegulation
e0: 224 is not a valid RoutingActivationRequest.ActivationType
e1: CentralSecurity
e2: 226 is not a valid RoutingActivationRequest.ActivationType" ] || { echo "changed" >&2; exit 1; }
