#!/usr/bin/env bash
# pysyslogclient 0.1.1 (PyPI): its messages of RFC 5424 lack the field of structured data, so that "[disk full]" is read as some, and its messages of RFC 3164 lose letters.
#
# Guess: between MSGID and the message stands STRUCTURED-DATA, "-" if there is none (RFC 5424 §6, §6.3); a message of RFC 3164 has the day as " 1" (RFC 3164 §4.1.2) and the text
#   it was given.
# Seen: the text follows MSGID at once. Where it begins with a bracket it is structured data for the receiver, where not, strict receivers refuse the line and others take the first word.
#   In the other format each letter outside ASCII is left out, "Gerät" is "Gert", and the day is "01".
# Source: pysyslogclient/__init__.py, SyslogClientRFC5424.log ("<%i>%i %s %s %s %s %s %s\n"), SyslogClientRFC3164.log (encode('ASCII', 'ignore'), "%b %d").
# Output seen: "<14>1 TIME host app 7 ID [disk full] stopped", "<14>Jun 01 12:00:00 host app: Gert"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pysyslogclient==0.1.1 || exit 2
cat >run.py <<'PY'
import datetime

import pysyslogclient

TIME = datetime.datetime(2026, 6, 1, 12, 0, 0)


def sent(kind, text, **fields):
    lines = []
    client = kind("127.0.0.1", 9)
    client.send = lines.append
    client.log(text, timestamp=TIME, hostname="host", program="app", **fields)
    return lines[0].decode().strip()


new = sent(pysyslogclient.SyslogClientRFC5424, "[disk full] stopped", pid="7", msgid="ID").split(" ")
print(" ".join([new[0], "TIME", *new[2:]]))
print(sent(pysyslogclient.SyslogClientRFC3164, "Gerät"))
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "<14>1 TIME host app 7 ID [disk full] stopped
<14>Jun 01 12:00:00 host app: Gert" ] || { echo "changed" >&2; exit 1; }
