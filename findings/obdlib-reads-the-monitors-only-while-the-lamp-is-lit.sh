#!/usr/bin/env bash
# obdlib 0.2 (PyPI): the answer to PID 01 of a car without faults is "string index out of range", and lists of oxygen sensors have no fixed places.
#
# Guess: the lamp is the highest bit of the first octet, the codes the seven below (SAE J1979, service 01, PID 01): 00 07 65 00 is off and none, 81 07
#   65 04 is lit and one. In PID 13 bit 0 is bank 1, sensor 1 and bit 4 bank 2, sensor 1.
# Seen: the number is turned into binary digits without leading zeros, and the digits are counted from the left. With the lamp off the places are
#   shifted and the last ones are missing, so that only a car with a fault can be asked. Sensors 03, 0C and 30 are [1, 1], [1, 1, 0, 0] and [1, 1, 0, 0,
#   0, 0]: the first place is another sensor each time.
# Source: obdlib/utils.py, dtc_statuses and oxygen_sensors: bin(__digit(value))[2:]; bitwise_pids beside them fills with zeros.
# Output seen: "81076504 lamp 1 codes 1 base tests [(0, 0), (0, 1), (0, 1)]", "00076500 IndexError string index out of range", "7F076500 IndexError string index out of range", "03 [1, 1]", "0C [1, 1, 0, 0]", "30 [1, 1, 0, 0, 0, 0]", "C3 [1, 1, 0, 0, 0, 0, 1, 1]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v obdlib==0.2 || exit 2
cat >run.py <<'PY'
from obdlib import utils

for answer in ("81076504", "00076500", "7F076500"):
    try:
        status = utils.dtc_statuses(answer)
        print(answer, "lamp", status["mil"], "codes", status["dtc"], "base tests", status["base_tests"])
    except IndexError as error:
        print(answer, "IndexError", error)
for answer in ("03", "0C", "30", "C3"):
    print(answer, utils.oxygen_sensors(answer))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "81076504 lamp 1 codes 1 base tests [(0, 0), (0, 1), (0, 1)]
00076500 IndexError string index out of range
7F076500 IndexError string index out of range
03 [1, 1]
0C [1, 1, 0, 0]
30 [1, 1, 0, 0, 0, 0]
C3 [1, 1, 0, 0, 0, 0, 1, 1]" ] || { echo "changed" >&2; exit 1; }
