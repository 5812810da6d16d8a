#!/usr/bin/env bash
# aiortc 1.16.0 (PyPI): a SHUTDOWN from the peer ends sending at once; what waits is never sent, and the channel stays open.
#
# Guess: who gets a SHUTDOWN goes on until all that it has to send is acknowledged, and answers SHUTDOWN ACK then (RFC 9260
#   §9.2), so that a peer that shuts down gracefully reads all messages that were on their way, and then the end.
# Seen: SHUTDOWN ACK goes out at once, with 380 of 400 kB still waiting; the peer, which takes that for "all was sent", ends the
#   association. `send` goes on taking messages, bufferedAmount stays above 0, readyState is "open", no event: a program
#   that waits for the buffer to drain waits for ever. Between two aiortc ends it never happens: they send ABORT.
# Source: aiortc/rtcsctptransport.py, _receive_chunk, ShutdownChunk.
# Output seen: "sent 20, arrived 1, the answer is ShutdownAckChunk", "open, 380000 bytes wait"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install aiortc==1.16.0 || exit 2
cat >pair.py <<'PY'
import asyncio
from aiortc.rtcsctptransport import *
from aiortc.rtcsctptransport import parse_packet
from aiortc.rtcdatachannel import RTCDataChannel, RTCDataChannelParameters

class Wire:
    """A transport in the place of DTLS, which notes the chunks of each packet and may lose those with DATA."""

    state = "connected"

    def __init__(self, role):
        self._role, self.receiver, self.chunks, self.lossy = role, None, [], False

    def _register_data_receiver(self, receiver):
        self.receiver = receiver

    def _unregister_data_receiver(self, receiver):
        self.receiver = None

    async def _send_data(self, packet):
        chunks = parse_packet(packet)[3]
        self.chunks += [type(chunk).__name__ for chunk in chunks]
        if self.lossy and any(isinstance(chunk, DataChunk) for chunk in chunks):
            return
        asyncio.get_running_loop().call_soon(self.deliver, packet)

    def deliver(self, packet):
        asyncio.ensure_future(self.peer.receiver._handle_data(packet))

async def pair():
    wires = [Wire("client"), Wire("server")]
    wires[0].peer, wires[1].peer = wires[1], wires[0]
    ends = [RTCSctpTransport(wire, 5000) for wire in wires]
    for end in ends:
        await end.start(end.getCapabilities(), 5000)
    while any(end._association_state != end.State.ESTABLISHED for end in ends):
        await asyncio.sleep(0.01)
    return wires, ends

def channel(end, **more):
    return RTCDataChannel(end, RTCDataChannelParameters(label="l", **more))
PY
cat >run.py <<'PY'
from pair import *

async def main():
    wires, ends = await pair()
    arrived = []
    ends[0].on("datachannel", lambda one: one.on("message", arrived.append))
    sender = channel(ends[1])
    await asyncio.sleep(0.2)
    for _ in range(20):
        sender.send(bytes(20000))
    wires[1].chunks.clear()
    shutdown = ShutdownChunk()
    shutdown.cumulative_tsn = ends[0]._last_received_tsn
    await ends[0]._send_chunk(shutdown)
    await asyncio.sleep(3)
    answer = next(chunk for chunk in wires[1].chunks if "Shutdown" in chunk)
    print(f"sent 20, arrived {len(arrived)}, the answer is {answer}")
    print(f"{sender.readyState}, {sender.bufferedAmount} bytes wait")

asyncio.run(main())
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "sent 20, arrived 1, the answer is ShutdownAckChunk
open, 380000 bytes wait" ] || { echo "changed" >&2; exit 1; }
