#!/usr/bin/env bash
# asn1tools 0.169.0 (PyPI): in PER an integer with a lower bound alone is encoded as one without bounds.
#
# Guess: INTEGER (0..MAX) is a semi-constrained whole number (X.691 §11.7): its distance from the lower bound, without a
#   sign; 128 is 01 80. The codecs "per" and "uper", which agree with pycrate 0.8.1 about sequences, choices,
#   lists, strings and integers with two bounds, as S1AP and NGAP have them, do so.
# Seen: 128 is 02 00 80, and the 01 80 that a peer sends is read as -128, outside the type's range, without an error. With
#   INTEGER (5..MAX) each value is off by five. Small values of the first type agree, so that a test with 1, 2 and 3 passes.
# Source: asn1tools/codecs/per.py, class Integer: a range counts if both ends are numbers.
# Output seen: "asn1tools 020080, pycrate 0180, 0180 is read as -128", "asn1tools 0105, pycrate 0100, 0100 is read as 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install asn1tools==0.169.0 pycrate==0.8.1 || exit 2
cat >run.py <<'PY'
import contextlib
import io
import asn1tools
from pycrate_asn1c.asnproc import PycrateGenerator, compile_text, generate_modules

text = """M DEFINITIONS AUTOMATIC TAGS ::= BEGIN
A ::= INTEGER (0..MAX)
B ::= INTEGER (5..MAX)
END
"""
with contextlib.redirect_stdout(io.StringIO()):
    compile_text(text)
    generate_modules(PycrateGenerator, "compiled.py")
import compiled

codec = asn1tools.compile_string(text, "per")
for name, value in (("A", 128), ("B", 5)):
    other = getattr(compiled.M, name)
    other.set_val(value)
    peer = other.to_aper()
    print(f"asn1tools {codec.encode(name, value).hex()}, pycrate {peer.hex()}, "
          f"{peer.hex()} is read as {codec.decode(name, peer)}")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "asn1tools 020080, pycrate 0180, 0180 is read as -128
asn1tools 0105, pycrate 0100, 0100 is read as 0" ] || { echo "changed" >&2; exit 1; }
