#!/usr/bin/env bash
# ntp-time-sync 0.5.0 (npm): a clock that is right is found to be late by half the round trip.
#
# Guess: the offset is the mean of the two differences, ((T2 - T1) + (T3 - T4)) / 2 (RFC 5905, §8), so that equal delays there and back
#   cancel out: with a right clock and 200 ms each way it is 0. Offset is the one figure the package is for.
# Seen: each difference loses its sign first, and the sum gets that of T3 - T4. As long as the clock is off by less than the one-way
#   delay, which is the normal case, the two have different signs and the result is minus half the round trip, whatever the offset:
#   0 and 100 ms are both -200 ms. All samples agree, so `precision` is a few ms. Offsets of seconds are right.
# Source: dist/NtpTimeSync.js, collectSamples (Math.abs, offsetSign).
# Output seen: "server 0 ms ahead: -200 ms, by RFC 5905 0 ms", "server 100 ms ahead: -200 ms, by RFC 5905 100 ms",
#   "server 3000 ms ahead: 3000 ms, by RFC 5905 3000 ms" (to 100 ms)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ntp-time-sync@0.5.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { createSocket } = require("dgram");
const { NtpTimeSync } = require("ntp-time-sync");

const stamp = (packet, time, at) => {
  const since = time - Date.UTC(1900, 0);
  packet.writeUInt32BE(Math.floor(since / 1000), at);
  packet.writeUInt32BE(((since % 1000) / 1000) * 2 ** 32, at + 4);
};
const round = (milliseconds) => Math.round(milliseconds / 100) * 100 + 0;
(async () => {
  for (const ahead of [0, 100, 3000]) {
    const socket = createSocket("udp4");
    socket.on("message", (request, from) => setTimeout(() => {
      const packet = Buffer.alloc(48);
      packet.set([0x24, 2, 6, 0xec]);
      request.copy(packet, 24, 40, 48);
      for (const at of [32, 40]) stamp(packet, Date.now() + ahead, at);
      setTimeout(() => socket.send(packet, from.port, from.address), 200);
    }, 200));
    await new Promise((ready) => socket.bind(0, "127.0.0.1", ready));
    const sync = new NtpTimeSync({ servers: [`127.0.0.1:${socket.address().port}`], sampleCount: 4 });
    const { offset } = await sync.getTime(true);
    const right = sync.samples.map(({ data }) => ((data.receiveTimestamp - data.originTimestamp) + (data.transmitTimestamp - data.destinationTimestamp)) / 2);
    const mean = right.reduce((sum, one) => sum + one) / right.length;
    console.log(`server ${ahead} ms ahead: ${round(offset)} ms, by RFC 5905 ${round(mean)} ms`);
    socket.close();
  }
})();
JS
seen=$(timeout 60 node run.js)
echo "$seen"
[ "$seen" = "server 0 ms ahead: -200 ms, by RFC 5905 0 ms
server 100 ms ahead: -200 ms, by RFC 5905 100 ms
server 3000 ms ahead: 3000 ms, by RFC 5905 3000 ms" ] || { echo "changed" >&2; exit 1; }
