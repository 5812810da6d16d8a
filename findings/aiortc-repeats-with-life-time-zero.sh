#!/usr/bin/env bash
# aiortc 1.16.0 (PyPI): a data channel with maxPacketLifeTime 0 repeats lost messages for ever.
#
# Guess: 0 ms is a life time as others are (W3C WebRTC §6.1: an unsigned short, null stands for "none"): a message is sent
#   once and given up, as with maxRetransmits 0, which works so, and as a life time of 100 ms is given up at the first timeout.
# Seen: 0 counts as "no limit". The DATA_CHANNEL_OPEN announces a timed channel of 0 ms, so that the other end, and both
#   programs, see a channel that loses messages, and one lost message holds up all behind it until it arrives.
# Source: aiortc/rtcsctptransport.py, _data_channel_flush, which asks whether the life time is true.
# Output seen: "lifetime 100: given up", "lifetime 0: repeated", "retransmits 0: given up"
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

async def lose(name, **limits):
    wires, ends = await pair()
    sender = channel(ends[0], **limits)
    await asyncio.sleep(0.2)
    wires[0].chunks.clear()
    wires[0].lossy = True
    sender.send("lost")
    await asyncio.sleep(4)
    sent = wires[0].chunks
    print(f"{name}:", "given up" if "ForwardTsnChunk" in sent else "repeated" if sent.count("DataChunk") > 1 else "once")

async def main():
    await lose("lifetime 100", maxPacketLifeTime=100)
    await lose("lifetime 0", maxPacketLifeTime=0)
    await lose("retransmits 0", maxRetransmits=0)

asyncio.run(main())
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "lifetime 100: given up
lifetime 0: repeated
retransmits 0: given up" ] || { echo "changed" >&2; exit 1; }
