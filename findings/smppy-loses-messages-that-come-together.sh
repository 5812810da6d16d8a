#!/usr/bin/env bash
# smppy 0.3.2 (PyPI): of two messages that arrive in one piece of the stream the server takes the first, and says nothing of the second.
#
# Guess: SMPP runs over a stream, and command_length says where a PDU ends (SMPP 3.4, §3.2 and §5.1.1): the server handles as many PDUs as come,
#   and waits for the rest of one that is not all there.
# Seen: what one read gives is taken for one PDU. Two submit_sm that a client writes back to back, as each does that has a window above 1,
#   are one message and one submit_sm_resp; the client waits for the second until its timer ends. A PDU that comes in two pieces is
#   lost altogether, with an error in the log. A test that sends a message and waits for its response passes.
# Source: smppy/server.py, SmppProtocol.data_received and handle_data_received (one PDUEncoder().decode for each call).
# Output seen: "apart: ['one', 'two'], 2 responses", "together: ['one'], 1 response", "in two pieces: [], 0 responses"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v smppy==0.3.2 smpppdu==0.1.2 || exit 2
cat >run.py <<'PY'
import asyncio
from smpp.pdu.operations import BindTransceiver, SubmitSM
from smpp.pdu.pdu_encoding import PDUEncoder
from smppy import Application
from smppy.server import SmppProtocol

class Server(Application):
    async def handle_bound_client(self, client):
        return client

    async def handle_unbound_client(self, client):
        pass

    async def handle_sms_received(self, client, source_number, dest_number, text):
        self.texts.append(text)

async def show(name, pieces):
    app = Server("server")
    app.texts = []
    server = await asyncio.get_running_loop().create_server(lambda: SmppProtocol(app=app), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    encode = PDUEncoder().encode
    writer.write(encode(BindTransceiver(sequence_number=1, system_id="test", password="", system_type="")))
    await reader.read(100)
    one, two = (encode(SubmitSM(sequence_number=number, source_addr="1", destination_addr="2", short_message=text))
                for number, text in ((2, b"one"), (3, b"two")))
    for piece in pieces(one, two):
        writer.write(piece)
        await asyncio.sleep(0.3)
    answers, octets = 0, await reader.read(1000) if app.texts else b""
    while octets:
        answers, octets = answers + 1, octets[int.from_bytes(octets[:4], "big"):]
    print(f"{name}: {app.texts}, {answers} {'response' if answers == 1 else 'responses'}")
    writer.close()
    server.close()

asyncio.run(show("apart", lambda one, two: [one, two]))
asyncio.run(show("together", lambda one, two: [one + two]))
asyncio.run(show("in two pieces", lambda one, two: [one[:20], one[20:]]))
PY
seen=$(PYTHONPATH=v timeout 60 python3 run.py 2>/dev/null)
echo "$seen"
[ "$seen" = "apart: ['one', 'two'], 2 responses
together: ['one'], 1 response
in two pieces: [], 0 responses" ] || { echo "changed" >&2; exit 1; }
