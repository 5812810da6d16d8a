#!/usr/bin/env bash
# pytelegraf 0.3.3 (PyPI): a text with quotes in it is written with bare quotes, and a mean of nothing as nan, which loses the line.
#
# Guess: quotes within a text are escaped, as the module's own comment says, and so is a backslash at its end; a value that the line protocol
#   has no form for (NaN, infinity) is left out, as None is, or an error.
# Seen: the line that is to escape replaces a quote by itself (in Python '\"' is '"'). The cause of an ABORT, 'abort "x y" done', makes the
#   line unreadable for line-protocol-parser 2.0.1 (PyPI), and with it all other values of that moment. nan is written as it is and
#   has the same effect, over UDP without a word to the sender. Blanks and commas in tags are escaped rightly.
# Source: telegraf/utils.py, format_value.
# Output seen: 'sctp cause="abort "x y" done",rtt=2.5: LineFormatError', 'sctp cause="none",rtt=nan: LineFormatError', 'sctp cause="none": read'
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v pytelegraf==0.3.3 line-protocol-parser==2.0.1 || exit 2
cat >run.py <<'PY'
from line_protocol_parser import LineFormatError, parse_line
from telegraf.protocol import Line

for values in ({"cause": 'abort "x y" done', "rtt": 2.5}, {"cause": "none", "rtt": float("nan")}, {"cause": "none", "rtt": None}):
    line = Line("sctp", values).to_line_protocol()
    try:
        parse_line(line)
        print(f"{line}: read")
    except LineFormatError as error:
        print(f"{line}: {type(error).__name__}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = 'sctp cause="abort "x y" done",rtt=2.5: LineFormatError
sctp cause="none",rtt=nan: LineFormatError
sctp cause="none": read' ] || { echo "changed" >&2; exit 1; }
