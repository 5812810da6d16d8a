#!/usr/bin/env bash
# pycrate 0.8.1 (PyPI): in aligned PER a sequence with additions may have an octet of zeros too many before them, and a peer reads the additions wrong.
#
# Guess: behind the root come the number of additions, a bit for each, bits up to the next octet, and the additions (X.691, §19.8, §19.9 and §11.2):
#   { a INTEGER (0..7), ..., e, f } with 1, 9 and 9 is 90 38 01 09 01 09, as asn1tools 0.169.0 and Erlang's asn1ct write it.
# Seen: the additions are built before the bits that say which they are, so that the first one pads from where the root ended, and the bits are padded
#   once more. Both together are right if they happen to add up, as for one addition here and for six; else 8 bits are too many. The
#   peer takes the extra octet for an addition without contents and the next 01 for its length: e = 1 and f = 1, without an error.
#   pycrate reads its own octets in the same way, and those of the peer rightly. Unaligned PER is right.
# Who cares: H.225 and H.245 add to sequences in each version, and are in aligned PER; NGAP and S1AP seldom do.
# Source: pycrate_asn1rt/asnobj_construct.py, _CONSTRUCT._to_per and _to_per_ws (_gen_ext before the bitmap).
# Output seen: "1: 90100109, peer 90100109", "2: 90380001090109, peer 903801090109, which reads e 1, f 1", "6: ... the same"
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

def addition(name):
    return f"{name} INTEGER (0..255)"

NAMES = "efghij"
TEXT = "Example DEFINITIONS AUTOMATIC TAGS ::= BEGIN\n" + "\n".join(
    f"Seq{count} ::= SEQUENCE {{ a INTEGER (0..7), ..., {', '.join(map(addition, NAMES[:count]))} }}" for count in range(1, 7)) + "\nEND"
with contextlib.redirect_stdout(io.StringIO()):
    compile_text([TEXT])
    generate_modules(PycrateGenerator, "example.py")
sys.path.insert(0, ".")
from example import Example

peer = asn1tools.compile_string(TEXT, "per")
for count in range(1, 7):
    name, value = f"Seq{count}", {"a": 1} | dict.fromkeys(NAMES[:count], 9)
    mine = getattr(Example, name)
    mine.set_val(value)
    written, expected = mine.to_aper(), peer.encode(name, value)
    line = f"{count}: {written.hex()}, peer {expected.hex()}"
    if written != expected:
        line += ", which reads " + ", ".join(f"{key} {number}" for key, number in peer.decode(name, written).items() if key != "a")
    print(line)
    mine.from_aper(expected)
    assert mine.get_val() == value
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "1: 90100109, peer 90100109
2: 90380001090109, peer 903801090109, which reads e 1, f 1
3: 905c00010901090109, peer 905c010901090109, which reads e 1, f 1, g 1
4: 907e000109010901090109, peer 907e0109010901090109, which reads e 1, f 1, g 1, h 1
5: 909f0001090109010901090109, peer 909f01090109010901090109, which reads e 1, f 1, g 1, h 1, i 1
6: 90bf80010901090109010901090109, peer 90bf80010901090109010901090109" ] || { echo "changed" >&2; exit 1; }
