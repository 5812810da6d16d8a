#!/usr/bin/env bash
# pycrate 0.8.1: SCTP parameters and causes of fixed size are written with a length that leaves out their header.
#
# Guess: `SCTPPrmIPv4Addr(val={"Addr": ...})` has length 8, four bytes of header and four of address, as pycrate's
#   parameters of variable size (State Cookie) count it.
# Seen: the length is 4. A receiver takes the parameter for an empty one and reads the address as the type and length of
#   the next. Addresses, Cookie Preservative, Adaptation Layer Indication and the causes of fixed size are all built so.
# Source: pycrate_ether/SCTP.py, make_prm and make_cause; RFC 9260 §3.2.1, §3.3.10.
# Output seen: IPv4 address 00050004c0000201, stale cookie 0003000400000000, state cookie 00070008aabbccdd
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" --quiet --disable-pip-version-check install --no-compile pycrate==0.8.1
seen=$("$folder/v/bin/python" -c '
from pycrate_ether.SCTP import SCTPCauseStaleCookieErr, SCTPPrmIPv4Addr, SCTPPrmStateCookie
print("IPv4 address", SCTPPrmIPv4Addr(val={"Addr": bytes([192, 0, 2, 1])}).to_bytes().hex())
print("stale cookie", SCTPCauseStaleCookieErr().to_bytes().hex())
print("state cookie", SCTPPrmStateCookie(val={"Cookie": bytes.fromhex("aabbccdd")}).to_bytes().hex())')
echo "$seen"
[ "$seen" = 'IPv4 address 00050004c0000201
stale cookie 0003000400000000
state cookie 00070008aabbccdd' ] || { echo "changed" >&2; exit 1; }
