#!/usr/bin/env bash
# regdurations 1.0.8 (PyPI): "1h30m" is half an hour, "1.5 h" five hours and "0.5 s" five seconds.
#
# Guess: parts of a duration may follow each other with or without a blank, as in systemd, Go and most such parsers: "1h30m" is 90 minutes.
#   A fraction, which the README does not show, is read or finds nothing.
# Seen: each part must have a blank, a comma or the text's end behind it, and the text is searched for the first place where that holds.
#   So of "1h30m" only "30m" is read and of "1.5 h" "5 h"; the hour and the point are passed over. The one trace of it is the
#   position of the match, 2 in place of 0. "1h 30m" is right.
# Source: regdurations/regdurations.py, DurationParser.__init__ (the pattern, which ends in (?:[\s,]+|$)) and find_dict (finditer).
# Output seen: "1h 30m: 5400 s from 0", "1h30m: 1800 s from 2", "1.5 h: 18000 s from 2", "0.5 s: 5 s from 2", "250ms: 0 s from None"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v regdurations==1.0.8 || exit 2
cat >run.py <<'PY'
from regdurations import DurationParser

parser = DurationParser(["en"])
for text in ("1h 30m", "1h30m", "1.5 h", "0.5 s", "250ms"):
    parts, start, _ = parser.find_dict(text)
    seconds = parts["seconds"] + 60 * parts["minutes"] + 3600 * parts["hours"]
    print(f"{text}: {seconds} s from {start}")
PY
seen=$(PYTHONPATH=v python3 run.py) || exit 2
echo "$seen"
[ "$seen" = "1h 30m: 5400 s from 0
1h30m: 1800 s from 2
1.5 h: 18000 s from 2
0.5 s: 5 s from 2
250ms: 0 s from None" ] || { echo "changed" >&2; exit 1; }
