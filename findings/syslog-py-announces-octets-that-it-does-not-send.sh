#!/usr/bin/env bash
# syslog-py 0.2.5 (PyPI): over TCP a long message is announced whole and sent cut, so that the receiver takes the next message for its end.
#
# Guess: with octet counting (RFC 6587, §3.4.1), the default here, the number before a message is that of the octets behind the blank, whether the client has
#   shortened the message or not.
# Seen: the number is written first, and then what goes out, number and all, is cut at 1,024 octets (RFC 3164) or 8,192 (RFC 5424). Of
#   messages of 2,000 and 9,000 letters the rest never comes: the receiver fills it up with the messages that follow, headers included. Letters are
#   counted, too, not octets: each that takes two in UTF-8 moves the border by one.
# Source: pysyslogclient/__init__.py, _build_octet_message (len(d) of the text), send (message_data[:self.max_message_length]).
# Output seen: "2000 letters, RFC 3164: announced 2033, sent 1019", "9000 letters, RFC 5424: announced 9050, sent 8187", "Größe, RFC 5424: announced 55, sent 57"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v syslog-py==0.2.5 2>/dev/null || exit 2
cat >run.py <<'PY'
import socket
from datetime import datetime

import pysyslogclient

MOMENT = datetime(2026, 1, 2, 12, 0, 0, 250000)


def show(name, maker, text):
    server = socket.create_server(("127.0.0.1", 0))
    client = maker("127.0.0.1", server.getsockname()[1], proto="TCP")
    client.log(text, timestamp=MOMENT, is_utc=True, program="sctpd", hostname="alpha")
    connection, _ = server.accept()
    client.close()
    received = b""
    while piece := connection.recv(65536):
        received += piece
    number, message = received.split(b" ", 1)
    print(f"{name}: announced {int(number)}, sent {len(message)}")


show("2000 letters, RFC 3164", pysyslogclient.SyslogClientRFC3164, "x" * 2000)
show("9000 letters, RFC 5424", pysyslogclient.SyslogClientRFC5424, "x" * 9000)
show("5 letters, RFC 5424", pysyslogclient.SyslogClientRFC5424, "plain")
show("Größe, RFC 5424", pysyslogclient.SyslogClientRFC5424, "Größe")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "2000 letters, RFC 3164: announced 2033, sent 1019
9000 letters, RFC 5424: announced 9050, sent 8187
5 letters, RFC 5424: announced 55, sent 55
Größe, RFC 5424: announced 55, sent 57" ] || { echo "changed" >&2; exit 1; }
