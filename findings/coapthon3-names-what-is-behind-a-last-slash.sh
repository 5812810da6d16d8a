#!/usr/bin/env bash
# CoAPthon3 1.0.2 (PyPI): a request for coap://host/sensors/ is read as one for /sensors/b'', with a name of three signs at its end.
#
# Guess: a slash at the end is a last Uri-Path of no octets (RFC 7252 §6.4: each segment is an option, also an empty one), which is read as an
#   empty text, so that the path is "sensors/", and written again as an option without octets.
# Seen: the empty option becomes bytes where other options become text, and the text of Python's empty bytes is joined to the path: b'' with
#   its letter and quotes. A server looks for a resource of that name, and a proxy sends the three signs on. The Uri-Path in the
#   middle of /a//b fares the same.
# Source: coapthon/serializer.py, convert_to_raw (length == 0); the property uri_path of coapthon/messages/request.py.
# Output seen: "/sensors: sensors, b773656e736f7273", "/sensors/: sensors/b'', b773656e736f727303622727"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v CoAPthon3==1.0.2 || exit 2
cat >run.py <<'PY'
from coapthon.serializer import Serializer

for path, options in (("/sensors", b"\xb7sensors"), ("/sensors/", b"\xb7sensors\x00")):
    request = Serializer.deserialize(bytes([0x40, 1, 0, 1]) + options, ("192.0.2.1", 5683))
    print(f"{path}: {request.uri_path}, {bytes(Serializer.serialize(request))[4:].hex()}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py 2>/dev/null)
echo "$seen"
[ "$seen" = "/sensors: sensors, b773656e736f7273
/sensors/: sensors/b'', b773656e736f727303622727" ] || { echo "changed" >&2; exit 1; }
