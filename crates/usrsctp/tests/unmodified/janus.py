"""A WebRTC client that sends texts on a data channel to janus's echo test and wants them all back.

janus.py URL COUNT
"""

import asyncio
import itertools
import sys

import aiohttp
from aiortc import RTCPeerConnection, RTCSessionDescription

LIMIT = 30


class Janus:
    """A handle of the plugin, by janus's interface over HTTP."""

    def __init__(self, http, url):
        self.http = http
        self.url = url
        self.numbers = itertools.count()

    async def ask(self, **request):
        request["transaction"] = f"t{next(self.numbers)}"
        async with self.http.post(self.url, json=request) as answer:
            return await answer.json()

    async def attach(self):
        session = await self.ask(janus="create")
        self.session = f"{self.url}/{session['data']['id']}"
        self.url = self.session
        handle = await self.ask(janus="attach", plugin="janus.plugin.echotest")
        self.url = f"{self.session}/{handle['data']['id']}"

    async def negotiate(self, offer):
        body = {"audio": False, "video": False, "data": True}
        await self.ask(janus="message", body=body, jsep={"type": "offer", "sdp": offer})
        while True:
            async with self.http.get(f"{self.session}?maxev=1") as answer:
                event = await answer.json()
            if "jsep" in event:
                return RTCSessionDescription(event["jsep"]["sdp"], event["jsep"]["type"])


def text(number):
    return f"message {number} {'x' * (number % 900)}"


async def main(url, count):
    async with aiohttp.ClientSession() as http:
        janus = Janus(http, url)
        await janus.attach()
        connection = RTCPeerConnection()
        channel = connection.createDataChannel("JanusDataChannel")
        opened, echoed = asyncio.Event(), asyncio.Queue()
        channel.on("open", opened.set)
        channel.on("message", echoed.put_nowait)
        await connection.setLocalDescription(await connection.createOffer())
        answer = await janus.negotiate(connection.localDescription.sdp)
        await connection.setRemoteDescription(answer)
        await asyncio.wait_for(opened.wait(), LIMIT)
        for number in range(count):
            channel.send(text(number))
        for number in range(count):
            echo = await asyncio.wait_for(echoed.get(), LIMIT)
            assert echo.endswith(text(number)), (number, echo)
        print(f"{count} echoes in order")
        await connection.close()


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
