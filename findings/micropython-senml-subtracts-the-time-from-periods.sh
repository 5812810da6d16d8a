#!/usr/bin/env bash
# micropython-senml 0.1.1 (PyPI): an update period of 60 s is sent as minus 1,699,999,940 s below a base time, and data is sent in the wrong base64.
#
# Guess: "ut" is a period, the longest time until the next record; the base time is added to times only (RFC 8428 §4.1, §4.2, §4.6). Data values are base64 with the URL-safe
#   alphabet and without padding (§4.3).
# Seen: the base time of the pack is subtracted from the period as from a time. The three octets fb ff fe are "+//+", where readers of SenML expect "-__-"; the sign "+" and "/" are
#   no letters of that alphabet. Without a base time the period is right.
# Source: senml/senml_record.py, _build_rec_dict: the branch of _update_time is that of _time; binascii.b2a_base64 for "vd".
# Output seen: "time: 10", "period: -1699999940", "data: +//+", "period without a base time: 60"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v micropython-senml==0.1.1 cbor2==5.6.5 || exit 2
cat >run.py <<'PY'
import json

from senml.senml_pack import SenmlPack
from senml.senml_record import SenmlRecord


def sent(base_time):
    pack = SenmlPack("urn:dev:ow:1:")
    pack.base_time = base_time
    pack.add(SenmlRecord("temperature", value=20.5, time=1_700_000_010, update_time=60))
    pack.add(SenmlRecord("raw", value=bytearray(b"\xfb\xff\xfe")))
    return json.loads(pack.to_json())


temperature, raw = sent(1_700_000_000)
print(f"time: {temperature['t']}")
print(f"period: {temperature['ut']}")
print(f"data: {raw['vd']}")
print(f"period without a base time: {sent(None)[0]['ut']}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "time: 10
period: -1699999940
data: +//+
period without a base time: 60" ] || { echo "changed" >&2; exit 1; }
