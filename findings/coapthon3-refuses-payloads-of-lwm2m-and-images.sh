#!/usr/bin/env bash
# CoAPthon3 1.0.2 (PyPI): a message whose payload is no UTF-8 is a bad request, unless its format is one of three.
#
# Guess: a payload is octets whose meaning the Content-Format has (RFC 7252 §5.5.1), so that an image or LwM2M's TLV is handed over as bytes, as
#   octet-stream, EXI and CBOR are.
# Seen: for each other format the payload is decoded as text, and where that fails the whole message turns into the number 128, which is 4.00 Bad
#   Request: a client never sees the answer that it asked for, and a server refuses what it was sent. A payload without any
#   format fares the same. LwM2M's TLV hardly ever passes: octets such as c1, which head its resources, are not in UTF-8.
# Source: coapthon/serializer.py, Serializer.deserialize (the list of formats; UnicodeDecodeError).
# Output seen: "octet-stream: bytes c10064", "CBOR: bytes c100", "SenML: str 5b5d", "PNG: 128", "LwM2M TLV: 128", "none: 128"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v CoAPthon3==1.0.2 || exit 2
cat >run.py <<'PY'
from coapthon.serializer import Serializer

def show(name, option, payload):
    content = bytes([0x40, 0x45, 0, 1]) + bytes.fromhex(option) + b"\xff" + payload
    message = Serializer.deserialize(content, ("192.0.2.1", 5683))
    if isinstance(message, int):
        print(f"{name}: {message}")
    else:
        read = message.payload
        print(f"{name}: {type(read).__name__} {(read if isinstance(read, bytes) else read.encode()).hex()}")

show("octet-stream", "c12a", bytes.fromhex("c10064"))
show("CBOR", "c13c", bytes.fromhex("c100"))  # time 0
show("SenML", "c16e", b"[]")
show("PNG", "c117", bytes.fromhex("89504e470d0a1a0a"))  # its first eight octets
show("LwM2M TLV", "c22d16", bytes.fromhex("c10064"))  # resource 0 is 100
show("none", "", bytes.fromhex("c10064"))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py 2>/dev/null)
echo "$seen"
[ "$seen" = "octet-stream: bytes c10064
CBOR: bytes c100
SenML: str 5b5d
PNG: 128
LwM2M TLV: 128
none: 128" ] || { echo "changed" >&2; exit 1; }
