#!/usr/bin/env bash
# rnx 1.1.3 (PyPI): files of RINEX 2.11 with ten or more types of observation, as many receivers of two frequencies write them, are refused.
#
# Guess: a line has room for nine types, and the others are on lines of the same label with a blank number (RINEX 2.11, table A1, "# / TYPES OF OBSERV": "use
#   continuation line(s)"). rnx is "designed to read version 2.11" and keeps 26 places for types of an epoch.
# Seen: the second line is taken for a second definition: "observations over-defined!". The state that reads further types is in the reader, but nothing
#   leads to it.
# Source: rnx/rnx.py, Obs, "# / TYPES OF OBSERV " (types_left is counted and never asked for), STATE_TYPES.
# Output seen: "9 types: C1 L1 D1 S1 P2 L2 D2 S2 C2", "10 types: Exception: rnx: observations over-defined!"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v numpy==1.26.4 || exit 2
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v rnx==1.1.3 || exit 2
cat >run.py <<'PY'
from rnx import rnx

TYPES = "C1 L1 D1 S1 P2 L2 D2 S2 C2 C5".split()


def line(text, label):
    return f"{text:60}{label:20}\n"


for count in 9, 10:
    rows = [line(f"{2.11:9.2f}           OBSERVATION DATA    G (GPS)", "RINEX VERSION / TYPE")]
    for start in range(0, count, 9):
        number = f"{count:6}" if start == 0 else " " * 6
        rows.append(line(number + "".join(f"{name:>6}" for name in TYPES[start : min(start + 9, count)]), "# / TYPES OF OBSERV"))
    rows.append(line("  2026     1     4     0     0    0.0000000     GPS", "TIME OF FIRST OBS"))
    rows.append(line("", "END OF HEADER"))
    rows.append(" 26  1  4  0  0  0.0000000  0  1G05\n")
    values = [f"{20_000_000 + place:14.3f}  " for place in range(count)]
    rows += ["".join(values[start : start + 5]) + "\n" for start in range(0, count, 5)]
    with open("day.26o", "w") as file:
        file.writelines(rows)
    try:
        seen = " ".join(rnx.Obs("day.26o").types)
    except Exception as error:
        seen = f"{type(error).__name__}: {str(error).split('  ')[0]}"
    print(f"{count} types: {seen}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "9 types: C1 L1 D1 S1 P2 L2 D2 S2 C2
10 types: Exception: rnx: observations over-defined!" ] || { echo "changed" >&2; exit 1; }
