#!/usr/bin/env bash
# hl7find 1.0.2 (PyPI): PID.3.1 of the field "12345" is "1", and PID.3.2 is "2".
#
# Guess: a field without a separator has one component, the field itself: PID.3.1 is 12345 and there is no PID.3.2 (HL7 v2.5.1 §2.5.3; a receiver treats
#   what is not sent as empty). The README has PID.3.1 of "12345^^^MIE" as 12345, and calls the notation the usual one.
# Seen: a field with a separator is a list, one without is a text, and the number is taken as an index into either. Whether an identifier is whole
#   depends on whether its sender wrote anything behind it. In the same way components without & give their letters for subcomponents. Nothing is raised.
# Source: hl7find/hl7find.py, _parse (len(n_parts) == 1) and _find_with_int (position[index]).
# Output seen: "12345^^^LAB&1.2.3&ISO ['12345', '', 'LAB']", "12345^^^LAB ['12345', '', 'L']", "12345 ['1', '2', '4']"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v hl7find==1.0.2 || exit 2
cat >run.py <<'PY'
from hl7find import HL7Message

for identifier in ("12345^^^LAB&1.2.3&ISO", "12345^^^LAB", "12345"):
    message = HL7Message("MSH|^~\\&|A|B|C|D|20260101||ADT^A01|1|P|2.5\rPID|1||" + identifier)
    print(identifier, [message.find(place) for place in ("PID.3.1", "PID.3.2", "PID.3.4.1")])
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "12345^^^LAB&1.2.3&ISO ['12345', '', 'LAB']
12345^^^LAB ['12345', '', 'L']
12345 ['1', '2', '4']" ] || { echo "changed" >&2; exit 1; }
