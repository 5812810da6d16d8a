#!/usr/bin/env bash
# pyturn 0.2.4.1 (PyPI): five octets for a peer behind a TURN server arrive as eight, and what the peer sends back is not seen.
#
# Guess: the length of an attribute is that of its value without the padding (RFC 8489, §14); a Data indication has the type 0x0017 (RFC 8656, §17);
#   realm_value, an argument of the client, is written as REALM.
# Seen: the padding is added before the length is taken, so that the server hands it to the peer. The type of the indication is written as "\17" in Python,
#   which is octal: 0x000f, a message that no server sends. Attributes are gone through without their padding: behind one of seven octets, as a
#   SOFTWARE can be, DATA is not found. With a realm_value the client cannot be made: the encoding is spelt "uft-8".
# Source: pyturn/turn_client.py, forming_data_attribute, DATA_INDICATION, parse_data; pyturn/stun_client.py, forming_realm.
# Output seen: "hello: 0013000868656c6c6f000000", "Data indication: 000f", "DATA alone: b'hello', behind SOFTWARE: b''", "realm: unknown encoding: uft-8"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pyturn==0.2.4.1 passlib==1.7.4 || exit 2
cat >run.py <<'PY'
import struct

from pyturn.turn_client import TurnClient

print("hello:", TurnClient.forming_data_attribute(b"hello").hex())
print("Data indication:", TurnClient.DATA_INDICATION.hex())


def attribute(kind, value):
    return struct.pack("!HH", kind, len(value)) + value + bytes(-len(value) % 4)


def indication(*attributes):
    body = b"".join(attributes)
    return struct.pack("!HHI12s", 0x0017, len(body), 0x2112A442, bytes(12)) + body


data = attribute(0x0013, b"hello")
print(f"DATA alone: {TurnClient.parse_data(indication(data))}, behind SOFTWARE:",
      TurnClient.parse_data(indication(attribute(0x8022, b"example"), data)))
try:
    TurnClient("192.0.2.1", 5000, username="alice", password="secret", realm_value="example.org")
    print("realm: ok")
except LookupError as error:
    print("realm:", error)
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "hello: 0013000868656c6c6f000000
Data indication: 000f
DATA alone: b'hello', behind SOFTWARE: b''
realm: unknown encoding: uft-8" ] || { echo "changed" >&2; exit 1; }
