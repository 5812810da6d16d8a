#!/usr/bin/env bash
# python-diameter 0.9.0: Diameter over SCTP is sent with the payload protocol identifier 0.
#
# Guess: a stack that offers transport=sctp marks its messages with 46, Diameter in clear text, which RFC 6733 §11.5
#   registers for that.
# Seen: it calls pysctp's `sctp_send` without a ppid, whose default is 0 (unspecified), and has no setting for it.
#   Analysers and firewalls that tell Diameter from other users of SCTP by the identifier, on a port that is not
#   3868, do not see it.
# Source: diameter/node/node.py, _handle_connections; pysctp's sctp.py, sctp_send. A stand-in for pysctp's module, over
#   TCP, notes the arguments here, since pysctp needs a kernel with SCTP.
# Output seen: "ppid None, first message of 128 bytes"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" --quiet --disable-pip-version-check install python-diameter==0.9.0
cat >"$folder/sctp.py" <<'PY'
import socket

MSG_UNORDERED = 1
calls = []


class sctpsocket_tcp(socket.socket):
    def __init__(self, family):
        super().__init__(family, socket.SOCK_STREAM)

    def connectx(self, addresses):
        self.connect(addresses[0])

    def sctp_send(self, message, to=("", 0), ppid=None, flags=0, stream=None, timetolive=None, context=0):
        calls.append((ppid, len(message)))
        return self.send(message)
PY
cat >"$folder/run.py" <<'PY'
import os
import socket

import sctp
from diameter.node import Node

listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
node = Node("a.example.org", "example.org", ip_addresses=["127.0.0.1"])
node.add_peer(
    f"aaa://b.example.org:{port};transport=sctp", "example.org", ip_addresses=["127.0.0.1"], is_persistent=True
)
node.start()
listener.settimeout(20)
connection, _ = listener.accept()
connection.settimeout(20)
connection.recv(4096)
ppid, length = sctp.calls[0]
print(f"ppid {ppid}, first message of {length} bytes", flush=True)
os._exit(0)
PY
seen=$(cd "$folder" && v/bin/python run.py 2>/dev/null)
echo "$seen"
[ "$seen" = "ppid None, first message of 128 bytes" ] || { echo "changed" >&2; exit 1; }
