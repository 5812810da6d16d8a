#!/usr/bin/env bash
# kpn-senml 1.0.1 (PyPI): of a pack that is read only names and values are kept; times, units and sums are None.
#
# Guess: a record that is read has its time, its unit and its sum, for which SenmlRecord has fields of the same names, with the base values joined to
#   them (RFC 8428 §4.6: a record resolved), as the value has the base value.
# Seen: the reader asks for v, vs, vb and vd alone. A sample of 2010 has no time, and a rain gauge that reports only a sum (RFC 8428 §4.2 allows such
#   records) has neither a sum nor a value. The base time of the pack, for which SenmlPack has a property too, stays None; only bn and bv are looked at.
#   What the package writes has all of them.
# Source: kpn_senml/senml_record.py, SenmlRecord._from_raw; kpn_senml/senml_pack.py, _process_incomming_data.
# Output seen: "written: base time 1276020000", "written: temp value 23, unit Cel, time 1276019995, sum None", "written: rain value None, unit None, time None, sum 7", "read: base time None", "read: temp value 23, unit None, time None, sum None", "read: rain value None, unit None, time None, sum None"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v kpn-senml==1.0.1 cbor2==5.6.5 || exit 2
cat >run.py <<'PY'
from kpn_senml import SenmlPack, SenmlRecord

def show(name, pack, records):
    print(f"{name}: base time {pack.base_time}")
    for record in records:
        print(f"{name}: {record.name} value {record.value}, unit {record.unit}, time {record.time}, sum {record.sum}")

written = SenmlPack("dev:")
written.base_time = 1276020000
temperature = SenmlRecord("temp", value=23, unit="Cel", time=1276019995)
rain = SenmlRecord("rain", sum=7)
written.add(temperature)
written.add(rain)
show("written", written, [temperature, rain])

found = []
read = SenmlPack("dev:", callback=lambda record, device: found.append(record))
read.from_json(written.to_json())
show("read", read, found)
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "written: base time 1276020000
written: temp value 23, unit Cel, time 1276019995, sum None
written: rain value None, unit None, time None, sum 7
read: base time None
read: temp value 23, unit None, time None, sum None
read: rain value None, unit None, time None, sum None" ] || { echo "changed" >&2; exit 1; }
