#!/usr/bin/env bash
# pyvcdr 0.0.9, pydigitalwavetools 1.2 (PyPI): of a signal that has a name in each of two modules one name has all values and the other none.
#
# Guess: one identifier may stand for several names (IEEE 1364-2005, §18.2, $var, with its identifier code), and simulators use it
#   for each wire between modules: both names have its changes. x and z are values as 0 and 1 are.
# Seen: pyvcdr keeps the last name for the changes, pydigitalwavetools the first; the other is there with an empty list, as a signal that never changes.
#   pyvcdr leaves out x and z of single bits, too ("unsupported elem", on its output), not those of vectors: after #10 the clock still is 1. Its
#   README warns that it may not fit all of the standard; that of pydigitalwavetools promises to read VCD files.
# Source: pyvcdr/pyvcdr.py, process_cmd (sig_dict[id] = sig1), parse_elem_list ("01"); pyDigitalWaveTools/vcd/parser.py, vcd_var (idcode2series).
# Output seen: "pyvcdr: top.clk [], core.clk_in [5=1, 15=0]", "pydigitalwavetools: top.clk [0=x, 5=1, 10=z, 15=0], core.clk_in []"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pyvcdr==0.0.9 pydigitalwavetools==1.2 || exit 2
cat >run.py <<'PY'
import contextlib
import io

from pyDigitalWaveTools.vcd.parser import VcdParser
from pyvcdr import VcdR

DUMP = """$timescale 1ns $end
$scope module top $end
$var wire 1 ! clk $end
$scope module core $end
$var wire 1 ! clk_in $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
x!
$end
#5
1!
#10
z!
#15
0!
"""


def show(changes):
    return "[" + ", ".join(f"{time}={value}" for time, value in changes) + "]"


reader = VcdR()
with contextlib.redirect_stdout(io.StringIO()):
    reader.parse_str(DUMP)
print(f"pyvcdr: top.clk {show(reader.signals[0].steps)}, core.clk_in {show(reader.signals[1].steps)}")
parser = VcdParser()
parser.parse_str(DUMP)
top = parser.scope.children["top"].children
print(f"pydigitalwavetools: top.clk {show(top['clk'].data)}, core.clk_in {show(top['core'].children['clk_in'].data)}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "pyvcdr: top.clk [], core.clk_in [5=1, 15=0]
pydigitalwavetools: top.clk [0=x, 5=1, 10=z, 15=0], core.clk_in []" ] || { echo "changed" >&2; exit 1; }
