#!/usr/bin/env bash
# omnetinireader 1.8.2 (PyPI): a parameter that OMNeT++ varies over runs cannot be read, and a quoted text ends at its first "#".
#
# Guess: "${1,2,5}" is the notation of a parameter study (OMNeT++ Simulation Manual, "Parameter Studies"), and as in "${rate=1,2,5}Mbps" the reader hands the text over. A "#" within
#   quotes is a letter, one behind them begins a comment (the same manual, the syntax of omnetpp.ini). [Config Name] may have any name.
# Seen: braces at the end of a value are an object to it, and one without names is a ValueError; with a unit behind the braces it is read. "lane #1" is "lane, with a
#   quote at its beginning alone. A configuration whose own name begins with Config is not found: the word "Config" is not put in front of its name. Overridden keys of parents are
#   counted and listed again: len() and keys() of the mapping know more keys than it has.
# Source: omnetinireader/config_parser.py, ObjectValue.is_object_value, parse_value_str; OppParser.__init__ (inline_comment_prefixes), _ensure_config_prefix, __iter__.
# Output seen: "*.hosts: ValueError", "*.rate: ${rate=1,2,5}Mbps", "*.name: "lane", "*.delay: 5ms", "ConfigB: ValueError", "4 keys, 5 listed"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v omnetinireader==1.8.2 2>/dev/null || exit 2
cat >omnetpp.ini <<'INI'
[Config Base]
*.delay = 2ms
*.name = "lane #1"
[Config Study]
extends = Base
*.hosts = ${1,2,5}
*.rate = ${rate=1,2,5}Mbps
*.delay = 5ms   # longer
[Config ConfigB]
*.delay = 1ms
INI
cat >run.py <<'PY'
from omnetinireader.config_parser import OppConfigFileBase

study = OppConfigFileBase.from_path("omnetpp.ini", "Study")
for key in "*.hosts", "*.rate", "*.name", "*.delay":
    try:
        seen = study[key]
    except ValueError as error:
        seen = type(error).__name__
    print(f"{key}: {seen}")
try:
    print(OppConfigFileBase.from_path("omnetpp.ini", "ConfigB").section)
except ValueError as error:
    print(f"ConfigB: {type(error).__name__}")
keys = [key for key in study.keys() if key != "extends"]
print(f"{len(set(keys))} keys, {len(keys)} listed")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = '*.hosts: ValueError
*.rate: ${rate=1,2,5}Mbps
*.name: "lane
*.delay: 5ms
ConfigB: ValueError
4 keys, 5 listed' ] || { echo "changed" >&2; exit 1; }
