#!/usr/bin/env bash
# senml 0.1.0 (PyPI): a base name or base unit in a later record is overlooked, so that its samples get the name of the first device.
#
# Guess: base values hold for their record and all that follow until another comes (RFC 8428 §4; a gateway has a bn for each of its devices), so
#   that the second record is gate/b/power in watts.
# Seen: the document has one base, read from the first record. The second record becomes gate/a/power in degrees; no error. Written again, the second
#   device is gone for good.
# Source: senml/senml.py, SenMLDocument.from_json (base_from_json(json_data[0])).
# Output seen: "gate/a/temperature: 20.0 Cel", "gate/a/power: 7.0 Cel", "written: {"n": "power", "v": 7.0}"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v senml==0.1.0 attrs==24.2.0 || exit 2
cat >run.py <<'PY'
import json
from senml.senml import SenMLDocument

document = SenMLDocument.from_json(json.loads("""[
    {"bn": "gate/a/", "bu": "Cel", "n": "temperature", "v": 20},
    {"bn": "gate/b/", "bu": "W", "n": "power", "v": 7}
]"""))
for measurement in document.measurements:
    absolute = measurement.to_absolute(document.base)
    print(f"{absolute.name}: {absolute.value} {absolute.unit}")
print("written:", json.dumps(document.to_json()[1]))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = 'gate/a/temperature: 20.0 Cel
gate/a/power: 7.0 Cel
written: {"n": "power", "v": 7.0}' ] || { echo "changed" >&2; exit 1; }
