#!/usr/bin/env bash
# aiortc 1.16.0 (PyPI): DATA that is not acknowledged goes out again every second, without backoff and without an end.
#
# Guess: each expiry of the timer doubles it (RFC 9260 §6.3.3, E2), to 2, 4, 8 s up to the 60 s that the code has as its
#   largest, and after ten in a row the peer is unreachable and the association ends (§8.1; the code has a constant for that,
#   which ends a handshake and a stream reset).
# Seen: with a round trip of less than 200 ms DATA is sent anew at 1, 2, 3, 4 ... s; twelve times leave the association
#   ESTABLISHED and the channel "open". On a path that is cut for a while, with many channels, the bursts keep coming;
#   that the peer is gone shows only by ICE's own checks, if there is ICE.
# Source: aiortc/rtcsctptransport.py, _t3_expired, which changes the window and leaves _rto as it is.
# Output seen: "in 12.5 s: at least 12 times, ESTABLISHED, open"
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
    sender = channel(ends[0])
    await asyncio.sleep(0.2)
    wires[0].chunks.clear()
    wires[0].lossy = True
    sender.send("lost")
    await asyncio.sleep(12.5)
    times = wires[0].chunks.count("DataChunk")
    print(f"in 12.5 s: {'at least 12' if times > 11 else times} times, {ends[0]._association_state.name}, {sender.readyState}")

asyncio.run(main())
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "in 12.5 s: at least 12 times, ESTABLISHED, open" ] || { echo "changed" >&2; exit 1; }
