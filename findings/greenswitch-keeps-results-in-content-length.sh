#!/usr/bin/env bash
# greenswitch 0.0.19 (PyPI): the result of a background job is read as a part of the header Content-Length, and its lines with ": " as headers.
#
# Guess: an event of FreeSWITCH in plain form has headers, whose values are percent-encoded, an empty line and, as its Content-Length says, a body, which is not
#   encoded; that of BACKGROUND_JOB is what the command of bgapi printed. It is the event's data, as the answer of api is.
# Seen: the event has no data. The whole text is decoded first and cut into lines then: a body without ": " is joined to the last header, so that
#   Content-Length is "10\n\n+OK ..."; a line of a body with ": " is a header, "%25" in it is "%", and one named as a header of the event takes its
#   place. A value with a line break in it, such as a description of a session, is cut as well.
# Source: greenswitch/esl.py, ESLEvent.parse_data (unquote(data) before splitlines), handle_event (text/event-plain).
# Output seen: "1: Content-Length '10\n\n+OK 7f4de4', data None", "2: Content-Length '34\n\nUP 0 years', Job-UUID '9', rate '5%', data None"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v greenswitch==0.0.19 || exit 2
cat >run.py <<'PY'
import gevent
import greenswitch
from gevent.server import StreamServer

BODIES = ("+OK 7f4de4", "UP 0 years\nrate: 5%25\nJob-UUID: 9\n")
handled = []


def serve(connection, _):
    lines = connection.makefile("rb")
    connection.sendall(b"Content-Type: auth/request\n\n")
    for line in lines:
        if line == b"\n":
            continue
        reply = "+OK accepted" if line.startswith(b"auth") else "+OK"
        connection.sendall(f"Content-Type: command/reply\nReply-Text: {reply}\n\n".encode())
        for number, body in enumerate(BODIES, 1) if line.startswith(b"event") else ():
            event = f"Event-Name: BACKGROUND_JOB\nJob-UUID: {number}\nContent-Length: {len(body)}\n\n{body}"
            connection.sendall(f"Content-Length: {len(event)}\nContent-Type: text/event-plain\n\n{event}".encode())
        if line.startswith(b"exit"):
            return


server = StreamServer(("127.0.0.1", 0), serve)
server.start()
client = greenswitch.InboundESL("127.0.0.1", server.server_port, "secret")
client.connect()
client.register_handle("BACKGROUND_JOB", handled.append)
client.send("event plain BACKGROUND_JOB")
with gevent.Timeout(20):
    while len(handled) < 2:
        gevent.sleep(0.05)
first, second = handled
print(f"1: Content-Length {first.headers['Content-Length']!r}, data {getattr(first, 'data', None)}")
print(
    f"2: Content-Length {second.headers['Content-Length']!r}, Job-UUID {second.headers['Job-UUID']!r}, "
    f"rate {second.headers['rate']!r}, data {getattr(second, 'data', None)}"
)
client.stop()
PY
seen=$(PYTHONPATH=v timeout 40 python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "1: Content-Length '10\n\n+OK 7f4de4', data None
2: Content-Length '34\n\nUP 0 years', Job-UUID '9', rate '5%', data None" ] || { echo "changed" >&2; exit 1; }
