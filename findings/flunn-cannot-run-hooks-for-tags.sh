#!/usr/bin/env bash
# flunn 1.0.0 (PyPI): a hook that is registered for a CBOR tag ends in an AttributeError before it is called.
#
# Guess: StandardDecoder hands the number and the value of a tag to the hook that is registered for it, and gives what it returns; other tags stay
#   Tagging, with tag and obj.
# Seen: the decoder asks the Tagging for "object", which it does not have; its field is "obj". Each registered tag, such as 1 for a time, makes the
#   message unreadable; tags without a hook are right.
# Source: flunn/decoder.py, StandardDecoder.decode_tagging (tagged.object); flunn/data.py, Tagging.
# Output seen: "no hook: 1363896240", "hook: AttributeError, Tagging object has no attribute object"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v flunn==1.0.0 || exit 2
cat >run.py <<'PY'
from flunn.decoder import StandardDecoder, loads

content = bytes.fromhex("c11a514b67b0")  # tag 1: 1363896240
hooks = {1: lambda tag, value: f"time {value}"}
for name, given in (("no hook", {}), ("hook", hooks)):
    try:
        read = loads(content, StandardDecoder, given)
        print(f"{name}: {getattr(read, 'obj', read)}")
    except AttributeError as error:
        print(f"{name}: AttributeError, {str(error).replace(chr(39), '')}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "no hook: 1363896240
hook: AttributeError, Tagging object has no attribute object" ] || { echo "changed" >&2; exit 1; }
