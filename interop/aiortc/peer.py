"""A WebRTC peer made of aiortc, a stack in Python (see ../webrtc.md)."""

import asyncio
import json
import sys

from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription

BOUND = 300

peer = None
channels = {}


def say(*words):
    print(*words, flush=True)


def limit(most):
    return "-" if most is None else most


def attend(channel):
    label = channel.label
    channels[label] = channel

    def opened():
        order = "ordered" if channel.ordered else "unordered"
        limits = limit(channel.maxRetransmits), limit(channel.maxPacketLifeTime)
        say("opened", label, order, *limits, json.dumps(channel.protocol))

    channel.on("open", opened)
    channel.on("close", lambda: say("closed", label))
    channel.on("bufferedamountlow", lambda: say("low", label))

    @channel.on("message")
    def message(data):
        if label.startswith("echo"):
            channel.send(data)
            return
        kind = "text" if isinstance(data, str) else "binary"
        raw = data.encode() if isinstance(data, str) else data
        say("message", label, kind, len(raw), sum(raw) % (1 << 32))

    if channel.readyState == "open":
        opened()


def open_channel(label, words):
    chosen = {}
    for word in words:
        key, _, value = word.partition("=")
        if key == "unordered":
            chosen["ordered"] = False
        elif key == "retransmits":
            chosen["maxRetransmits"] = int(value)
        elif key == "lifetime":
            chosen["maxPacketLifeTime"] = int(value)
        elif key == "protocol":
            chosen["protocol"] = value
        elif key == "id":
            chosen.update(negotiated=True, id=int(value))
        else:
            raise ValueError(f"option {word}")
    attend(peer.createDataChannel(label, **chosen))


async def describe(make):
    await peer.setLocalDescription(await make)
    own = peer.localDescription
    say(own.type, json.dumps({"type": own.type, "sdp": own.sdp}))


def description(text):
    return RTCSessionDescription(**json.loads(text))


async def send(label, kind, size, count):
    raw = bytes(97 + index % 26 for index in range(int(size)))
    message = raw.decode() if kind == "text" else raw
    for _ in range(int(count)):
        while channels[label].bufferedAmount > 8 << 20:
            await asyncio.sleep(0.005)
        channels[label].send(message)


async def obey(line):
    verb, _, rest = line.partition(" ")
    words = rest.split()
    if verb == "offer":
        open_channel("first", [])
        await describe(peer.createOffer())
    elif verb == "offered":
        await peer.setRemoteDescription(description(rest))
        await describe(peer.createAnswer())
    elif verb == "answered":
        await peer.setRemoteDescription(description(rest))
    elif verb == "open":
        open_channel(words[0], words[1:])
    elif verb == "send":
        await send(*words)
    elif verb == "close":
        channels[words[0]].close()
    elif verb == "low":
        channels[words[0]].bufferedAmountLowThreshold = int(words[1])
    else:
        raise ValueError(f"command {verb}")


async def main():
    global peer
    peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    peer.on("datachannel", attend)
    reader = asyncio.StreamReader(limit=1 << 20)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    say("ready")
    while line := (await reader.readline()).decode().rstrip("\n"):
        try:
            await obey(line)
        except Exception as error:
            say("failed", line.split(" ", 1)[0], repr(error))
    await peer.close()


asyncio.run(asyncio.wait_for(main(), BOUND))
