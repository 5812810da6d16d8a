#!/usr/bin/env bash
# cayennelpp 0.5b3 (PyPI): an analog input of 1.13 is sent as 1.12, and one in seventeen values of two decimals is short by 0.01.
#
# Guess: the format has steps of 0.01 (Cayenne LPP, "analog input, 0.01 signed"), and a value of two decimals is a whole number of them: 113, 0071
#   hexadecimal.
# Seen: the product with 100 is cut instead of rounded: 1.13 * 100 is 112.99999999999999. The same holds of the meters of altitude, the degrees of the
#   gyrometer and the thousandths of the accelerometer, and towards zero below it. Values of one decimal (temperature, pressure) come out right.
# Source: cayenneLPP/cayenneLPP.py: int(value * 100), int(value_x * 1000).
# Output seen: "1.12 1.12 03020070", "1.13 1.12 03020070", "-0.29 -0.28 0302ffe4", "4.35 4.34 030201b2", "0.009 0.009 0971000900000000 1.001 1.0 097103e800000000", "573 of 10001 from 0 to 100 differ; temperature: 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v cayennelpp==0.5b3 || exit 2
cat >run.py <<'PY'
from cayenneLPP import CayenneLPP


def sent(method, scale, *values):
    sensor = CayenneLPP(size=64)
    getattr(sensor, method)(*values)
    octets = sensor.get_payload()
    return int.from_bytes(octets[2:4], "big", signed=True) / scale, octets.hex()


for value in (1.12, 1.13, -0.29, 4.35):
    print(value, *sent("add_analog_input", 100, value))
print(0.009, *sent("add_accelerometer", 1000, 0.009, 0, 0), 1.001, *sent("add_accelerometer", 1000, 1.001, 0, 0))
wrong = [n for n in range(10001) if sent("add_analog_input", 100, n / 100)[0] != n / 100]
print(f"{len(wrong)} of 10001 from 0 to 100 differ; temperature:", sum(sent("add_temperature", 10, n / 10)[0] != n / 10 for n in range(-400, 851)))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "1.12 1.12 03020070
1.13 1.12 03020070
-0.29 -0.28 0302ffe4
4.35 4.34 030201b2
0.009 0.009 0971000900000000 1.001 1.0 097103e800000000
573 of 10001 from 0 to 100 differ; temperature: 0" ] || { echo "changed" >&2; exit 1; }
