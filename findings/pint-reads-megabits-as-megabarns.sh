#!/usr/bin/env bash
# pint 0.25.3 (PyPI): "10 Mb/s" is ten megabarns a second, an area, while "10 Mbit/s" and "10 MB/s" are rates of data.
#
# Guess: with B for byte (IEC 80000-13) b is bit, in a library that knows bit, byte, Mbit, MiB and Mbps; or b is unknown and an error where it
#   is read, as "1 KB" is.
# Seen: b is the barn of nuclear physics, 1e-28 m². The text is read without an error, may be added, averaged and printed ("10 Mb/s" in its
#   short form again), and a conversion to bytes, at the end, is a DimensionalityError. In a ratio of two such rates, or of a rate and a
#   buffer in "Mb", all goes well. Bits and bytes themselves have no dimension: 1 Mbit/s can be turned into 1 MHz.
# Source: pint/default_en.txt: barn = 1e-28 * m ** 2 = b, bit = [].
# Output seen: "10 Mb/s: [length] ** 2 / [time], 10.0 Mb/s", "10 Mbit/s: 1 / [time], 10.0 Mbit/s", "1 KB: UndefinedUnitError",
#   "to MB/s: DimensionalityError, 1.25 MB/s", "1 Mbit/s in Hz: 1e+06"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v pint==0.25.3 || exit 2
cat >run.py <<'PY'
import pint

units = pint.UnitRegistry()
for text in ("10 Mb/s", "10 Mbit/s", "1 KB"):
    try:
        quantity = units(text)
        print(f"{text}: {quantity.dimensionality}, {quantity:~C}")
    except pint.UndefinedUnitError as error:
        print(f"{text}: {type(error).__name__}")
try:
    first = f"{units('10 Mb/s').to('MB/s'):~C}"
except pint.DimensionalityError as error:
    first = type(error).__name__
print(f"to MB/s: {first}, {units('10 Mbit/s').to('MB/s'):~C}")
print(f"1 Mbit/s in Hz: {units('1 Mbit/s').to('Hz').magnitude:g}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "10 Mb/s: [length] ** 2 / [time], 10.0 Mb/s
10 Mbit/s: 1 / [time], 10.0 Mbit/s
1 KB: UndefinedUnitError
to MB/s: DimensionalityError, 1.25 MB/s
1 Mbit/s in Hz: 1e+06" ] || { echo "changed" >&2; exit 1; }
