#!/usr/bin/env bash
# snmpwalk-parser 1.0.1 (PyPI): 16384 KBytes of memory are 0, and so is each number behind which snmpwalk writes the unit of its MIB.
#
# Guess: snmpwalk prints the UNITS clause of an object behind its value (RFC 2578 §7.2; hrMemorySize, tcpRtoMin, hrStorageAllocationUnits have one); the number in front of it is
#   the value.
# Seen: what int() cannot read is 0: the memory, the size of a block and the timeout of TCP are zeros, as though the device had said so; the entry's type is INTEGER all the same. A
#   sum of blocks times their size is 0 for each disk. Numbers without a unit and up(1) are right.
# Source: snmpwalk_parser/core.py, _process_integer, _process_counter, _process_gauge: except ValueError: return 0.
# Output seen: "hrMemorySize: 0", "hrStorageAllocationUnits: 0", "tcpRtoMin: 0", "ifMtu: 1500"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v snmpwalk-parser==1.0.1 || exit 2
cat >run.py <<'PY'
from snmpwalk_parser.core import SNMPParser

WALK = """HOST-RESOURCES-MIB::hrMemorySize.0 = INTEGER: 16384 KBytes
HOST-RESOURCES-MIB::hrStorageAllocationUnits.31 = INTEGER: 4096 Bytes
TCP-MIB::tcpRtoMin.0 = INTEGER: 200 milliseconds
IF-MIB::ifMtu.2 = INTEGER: 1500"""
for entry in SNMPParser().parse_snmpwalk_output(WALK):
    print(f"{entry.key}: {entry.value}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "hrMemorySize: 0
hrStorageAllocationUnits: 0
tcpRtoMin: 0
ifMtu: 1500" ] || { echo "changed" >&2; exit 1; }
