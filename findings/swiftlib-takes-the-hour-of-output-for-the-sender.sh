#!/usr/bin/env bash
# swiftlib 1.0.1 (PyPI): of a received message the sender is "1201012359N" and the priority always normal.
#
# Guess: the header of an output message is O, type, time of input, the reference of input (28 letters: date, terminal of the sender, session, number),
#   date and time of output, priority (SWIFT User Handbook, "Application header block: output"), as in the example of its own documentation; the sender
#   is in the reference.
# Seen: twelve letters for the sender are looked for behind the reference, where the date and time of output are. Sender is 1201012359 and the priority
#   letter; date and time are empty, and an urgent message is "N". Written again it is the same text only by chance of a length of eleven, with a blank
#   and a second priority.
# Source: swiftlib/core/block.py, Block2Output.from_swift (content[35:47]).
# Output seen: "sender 1201012359N, output '' '', priority N", "again: {2:O1031200010112BANKBEBBXXXX00000000001201012359N N}", "sender 1201012359U, output '' '', priority N", "again: {2:O1031200010112BANKBEBBXXXX00000000001201012359U N}"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v swiftlib==1.0.1 || exit 2
cat >run.py <<'PY'
from swiftlib.core.block import Block2Output

for priority in "NU":
    text = f"{{2:O1031200010112BANKBEBBXXXX00000000001201012359{priority}}}"
    found = Block2Output.from_swift(text.strip("{}"))
    print(f"sender {found.sender_address}, output {found.output_date!r} {found.output_time!r}, priority {found.priority}")
    print(f"again: {found.to_swift()}")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "sender 1201012359N, output '' '', priority N
again: {2:O1031200010112BANKBEBBXXXX00000000001201012359N N}
sender 1201012359U, output '' '', priority N
again: {2:O1031200010112BANKBEBBXXXX00000000001201012359U N}" ] || { echo "changed" >&2; exit 1; }
