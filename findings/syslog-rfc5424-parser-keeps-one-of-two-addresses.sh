#!/usr/bin/env bash
# syslog-rfc5424-parser 0.3.2 (PyPI): of a parameter that a message has twice the last one is kept, and values keep their backslashes.
#
# Guess: [origin ip="192.0.2.1" ip="192.0.2.129"], a multihomed sender and the example of RFC 5424 §7.2, gives both addresses (§6.3.3: a
#   parameter may be repeated inside an element), and the value of text="say \"hi\"" is: say "hi" (§6.3.3, the backslash
#   stands before quotation marks, backslashes and closing brackets, and is not part of the value).
# Seen: one address, the second; nothing tells that there was another. The value has its backslashes: say \"hi\". It is put between
#   quotation marks as it is when a message is written, so that what was read is written right, but a value from elsewhere
#   ends at its first quotation mark, and the package cannot read its own message.
# Source: syslog_rfc5424_parser/message.py, parse (a dictionary by names) and __str__; parser.py, structured_data.
# Output seen: "{'ip': '192.0.2.129'}", 'say \"hi\"', "its own message: ParseError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v syslog-rfc5424-parser==0.3.2 lark-parser==0.6.7 || exit 2
cat >run.py <<'PY'
from syslog_rfc5424_parser import ParseError, SyslogMessage

head = "<165>1 2026-01-02T03:04:05Z host.example sctpd - - "
print(SyslogMessage.parse(head + '[origin ip="192.0.2.1" ip="192.0.2.129"] up').sd["origin"])
message = SyslogMessage.parse(head + r'[note@32473 text="say \"hi\""] up')
print(message.sd["note@32473"]["text"])
message.sd["note@32473"]["text"] = 'say "hi"'
try:
    print("its own message:", SyslogMessage.parse(str(message)).sd)
except ParseError:
    print("its own message: ParseError")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "{'ip': '192.0.2.129'}
say \\\"hi\\\"
its own message: ParseError" ] || { echo "changed" >&2; exit 1; }
