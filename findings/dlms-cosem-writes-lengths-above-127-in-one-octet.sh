#!/usr/bin/env bash
# dlms-cosem 25.1.0 (PyPI): an octet string of 200 octets is written with the length c8, which says that 72 octets of a length follow.
#
# Guess: lengths above 127 have an octet 81 in front (A-XDR, IEC 61334-6 §5.2, as in BER), 81 c8 here, as this package writes them for arrays and
#   reads them for all types.
# Seen: strings take the length as one octet up to 255; longer ones raise ValueError. A reader takes the text for a length. A block of a firmware
#   image of 128 octets or more is sent wrong or not at all. Arrays of 200 are right.
# Source: dlms_cosem/dlms_data.py, BaseDlmsData.to_bytes (out.append(len(value_bytes))).
# Output seen: "127 octets: 097f7878", "200 octets: 09c87878", "300 octets: byte must be in range(0, 256)", "array of 200: 0181c811"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v dlms-cosem==25.1.0 attrs==24.2.0 python-dateutil==2.9.0 six==1.16.0 asn1crypto==1.5.1 || exit 2
cat >run.py <<'PY'
from dlms_cosem.dlms_data import DataArray, OctetStringData, UnsignedIntegerData

def show(name, data):
    try:
        print(f"{name}: {data.to_bytes()[:4].hex()}")
    except ValueError as error:
        print(f"{name}: {error}")

show("127 octets", OctetStringData(b"x" * 127))
show("200 octets", OctetStringData(b"x" * 200))
show("300 octets", OctetStringData(b"x" * 300))
show("array of 200", DataArray([UnsignedIntegerData(120)] * 200))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "127 octets: 097f7878
200 octets: 09c87878
300 octets: byte must be in range(0, 256)
array of 200: 0181c811" ] || { echo "changed" >&2; exit 1; }
