#!/usr/bin/env bash
# openwsn-coap 0.0.8 (PyPI): coap://6lowpan.example.com is the address ::ffff:6, and Node7.example.com:5700 has port 5683.
#
# Guess: a name that begins with a digit is a name (RFC 1123 §2.1), and the port behind the colon is that of the address (RFC 7252 §6.1), whatever the letters of the host.
# Seen: what begins with digits and points is taken for an IPv4 address as far as it goes: "6lowpan.example.com" becomes ::ffff:6. A host with a capital letter other than A
#   and a port does not fit the pattern for ports, but the next one without: its port is dropped, and the request goes to 5683. No error is raised.
# Source: coap/coapUri.py, uri2options: re.match('([0-9.]+)', hostPort), and "a-zA.", which lacks "-Z", in the pattern with a port.
# Output seen: "6lowpan.example.com: ::ffff:6, 5683", "Node7.example.com:5700: node7.example.com, 5683", "node7.example.com:5700: node7.example.com, 5700"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v openwsn-coap==0.0.8 cbor==1.0.0 hkdf==0.0.3 pycryptodome==4.4.0 PyDispatcher==2.0.7 || exit 2
cat >run.py <<'PY'
from coap.coapUri import uri2options

for authority in ("6lowpan.example.com", "Node7.example.com:5700", "node7.example.com:5700"):
    host, port, _ = uri2options(f"coap://{authority}/a")
    print(f"{authority}: {host}, {port}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "6lowpan.example.com: ::ffff:6, 5683
Node7.example.com:5700: node7.example.com, 5683
node7.example.com:5700: node7.example.com, 5700" ] || { echo "changed" >&2; exit 1; }
