#!/usr/bin/env bash
# dlms-cosem 25.1.0 (PyPI): the code 1-0:1.8.0.101 as text is 1-0:1.8.0.255, the register of now instead of that of an earlier period.
#
# Guess: the sixth group is a part of the code; 255 stands for one that is not used, and others for earlier billing periods (IEC 62056-61, group F),
#   so that each code of six groups is read with its six, as from octets.
# Seen: the six groups are matched, and the sixth is dropped for the default. A client that asks for last month gets the value of now, without an
#   error; text that the package writes is read back as another code.
# Source: dlms_cosem/cosem/obis.py, Obis.from_string (no f=).
# Output seen: "1-0:1.8.0.255: read 1-0:1.8.0.255, 0100010800ff of 0100010800ff", "1-0:1.8.0.101: read 1-0:1.8.0.255, 0100010800ff of 010001080065"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v dlms-cosem==25.1.0 attrs==24.2.0 python-dateutil==2.9.0 six==1.16.0 asn1crypto==1.5.1 || exit 2
cat >run.py <<'PY'
from dlms_cosem.cosem.obis import Obis

for code in (Obis(1, 0, 1, 8, 0, 255), Obis(1, 0, 1, 8, 0, 101)):
    text = code.to_string()
    again = Obis.from_string(text)
    print(f"{text}: read {again.to_string()}, {again.to_bytes().hex()} of {code.to_bytes().hex()}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "1-0:1.8.0.255: read 1-0:1.8.0.255, 0100010800ff of 0100010800ff
1-0:1.8.0.101: read 1-0:1.8.0.255, 0100010800ff of 010001080065" ] || { echo "changed" >&2; exit 1; }
