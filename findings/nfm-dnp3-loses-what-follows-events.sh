#!/usr/bin/env bash
# nfm-dnp3 1.0.1 (PyPI): of a response with two events and a measured value behind them the value is lost.
#
# Guess: an object with an index in front takes the octets of the index too (IEEE 1815, object prefix), here 2 x (1 + 1), and the next header follows
#   behind them, as it is found behind objects without an index.
# Seen: for objects of a known size the indices are not counted; the branches that count them are reached only where the size is not known, and then
#   raise. The next header is looked for within the events: it is nonsense, and the rest of the response is dropped without an error.
# Source: dnp3py/layers/application.py, ApplicationResponse._calculate_object_data_size (return obj_size * count).
# Output seen: "two states, then the value: g1v2 x 2 from 5, g30v2 x 1 from 12", "two events, then the value: g2v1 x 2 from 4"
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

value = "1e0200" "0000" "012c01"  # g30v2, point 0 is 300
show("two states, then the value", "010200" "0001" "8101" + value)
show("two events, then the value", "020117" "02" "0581" "0701" + value)
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "two states, then the value: g1v2 x 2 from 5, g30v2 x 1 from 12
two events, then the value: g2v1 x 2 from 4" ] || { echo "changed" >&2; exit 1; }
