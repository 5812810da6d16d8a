#!/usr/bin/env bash
# kpn-senml 1.0.1 (PyPI): the base sum of a pack has the CBOR label -16 where SenML has -6.
#
# Guess: the labels of SenML in CBOR are those of RFC 8428 §6, Table 4: base values have -1 to -6, the base sum -6; the table is closed.
# Seen: a digit too many, on both sides. Another reader finds an unknown key and takes the sums of all records as smaller by the base, and this
#   package writes only the difference from the base into them; a base sum from another writer is in turn not known here. JSON has "bs" right.
# Source: kpn_senml/senml_pack.py, to_cbor and from_cbor (naming_map).
# Output seen: "JSON: n energy, s 7, bn meter, bs 5000, bt 1276020000", "CBOR: 0 energy, 5 7, -2 meter, -16 5000, -3 1276020000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v kpn-senml==1.0.1 cbor2==5.6.5 || exit 2
cat >run.py <<'PY'
import json
import cbor2
from kpn_senml import SenmlPack, SenmlRecord

pack = SenmlPack("meter")
pack.base_time = 1276020000
pack.base_sum = 5000
pack.add(SenmlRecord("energy", sum=5007))
for name, records in (("JSON", json.loads(pack.to_json())), ("CBOR", cbor2.loads(pack.to_cbor()))):
    print(f"{name}: " + ", ".join(f"{label} {value}" for label, value in records[0].items()))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "JSON: n energy, s 7, bn meter, bs 5000, bt 1276020000
CBOR: 0 energy, 5 7, -2 meter, -16 5000, -3 1276020000" ] || { echo "changed" >&2; exit 1; }
