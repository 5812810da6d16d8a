#!/usr/bin/env bash
# pycrate 0.8.1 (PyPI): what follows the second marker of a sequence is encoded as one more addition.
#
# Guess: { a, ..., e, ..., z } has the root a and z and the addition e (X.680, §25.1, RootComponentTypeList behind the ExtensionEndMarker); PER writes z with a,
#   before the additions (X.691, §19.4 to §19.6). a = 1, z = TRUE without e is 18 in one octet.
# Seen: the second "..." is passed over: z is an addition, the last. Such a value is 90 28 0c 00 in unaligned PER, with the extension bit set, which a
#   peer reads as a sequence without z, or refuses; and the peer's 18 is read as a alone, without an error, although z is
#   mandatory. In BER, which has no bits for additions, there is no difference, so that a test in BER passes.
# Source: pycrate_asn1c/asnobj.py, which notes a further marker at debug level and goes on. asn1tools 0.169.0 and Erlang's asn1ct have it right.
# Output seen: "root a, additions e z", "a 1, z TRUE: 90280c00, peer 18, read {'a': 1}"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-compile --target v pycrate==0.8.1 asn1tools==0.169.0 || exit 2
cat >run.py <<'PY'
import contextlib
import io
import sys
import asn1tools
from pycrate_asn1c.asnproc import PycrateGenerator, compile_text, generate_modules

TEXT = """Example DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Between ::= SEQUENCE {
    a INTEGER (0..7),
    ...,
    e BOOLEAN,
    ...,
    z BOOLEAN
}
END"""
with contextlib.redirect_stdout(io.StringIO()):
    compile_text([TEXT])
    generate_modules(PycrateGenerator, "example.py")
sys.path.insert(0, ".")
from example import Example

mine = Example.Between
print(f"root {' '.join(mine._root)}, additions {' '.join(mine._ext)}")
value = {"a": 1, "z": True}
mine.set_val(value)
written = mine.to_uper()
sent = asn1tools.compile_string(TEXT, "uper").encode("Between", value)
mine.from_uper(sent)
print(f"a 1, z TRUE: {written.hex()}, peer {sent.hex()}, read {dict(mine.get_val())}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "root a, additions e z
a 1, z TRUE: 90280c00, peer 18, read {'a': 1}" ] || { echo "changed" >&2; exit 1; }
