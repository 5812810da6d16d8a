#!/usr/bin/env bash
# nfm-dnp3 1.0.1 (PyPI): in a header with qualifier 28 (hex), with which many stations send events, the second octet of the count is taken for the first of the data.
#
# Guess: the low four bits of a qualifier are the range: 7 is a count of one octet, 8 of two; the bits above are the prefix, 2 an index of two octets
#   (IEEE 1815, qualifier field of object headers). 28 is a count of two octets, as dnp3py 0.6.0 (PyPI) has it, and 27 of one.
# Seen: the list of codes has 28 as "8-bit count with 16-bit index", and 29, which is a count of four, as that of two. The events begin an octet too
#   early, so that their indices and values are of other points, and a group 0 appears that was not sent. With 08, without a prefix, the count is right.
# Source: dnp3py/core/config.py, QualifierCode; dnp3py/layers/application.py, ObjectHeader.from_bytes.
# Output seen: "count of two (08): g2v1 x 2 from 5", "count of two, index of two (28): g2v1 x 2 from 4, g0v129 x 0 from 10"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v nfm-dnp3==1.0.1 || exit 2
cat >run.py <<'PY'
from dnp3py.layers.application import ApplicationResponse

def show(name, objects):
    response = ApplicationResponse.from_bytes(bytes.fromhex("c0810000" + objects))
    print(f"{name}: " + ", ".join(f"g{found.group}v{found.variation} x {found.count} from {found.data_offset}" for found in response.objects))

show("count of two (08)", "020108" "0200" "8101")
show("count of two, index of two (28)", "020128" "0200" "050081" "070001")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "count of two (08): g2v1 x 2 from 5
count of two, index of two (28): g2v1 x 2 from 4, g0v129 x 0 from 10" ] || { echo "changed" >&2; exit 1; }
