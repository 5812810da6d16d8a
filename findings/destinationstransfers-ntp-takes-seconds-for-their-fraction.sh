#!/usr/bin/env bash
# @destinationstransfers/ntp 2.0.0 (npm): each answer has the same milliseconds, about 930 in 2026, whatever the server says.
#
# Guess: the result is the server's transmit time stamp, 32 bits of seconds and 32 of their fraction (RFC 5905, §6), to a millisecond.
# Seen: the two words are taken eight octets apart instead of four: the seconds of the receive time stamp and, as their fraction, the
#   seconds of the transmit time stamp. Those, divided by 2^32, grow by a thousandth in 50 days: the result is wrong by up to 0.93 s,
#   always to the same point of the second, so that repeated measurements agree well. The positions are counted from the end: behind
#   an answer with a key or an extension (§7.3) there are no times at all.
# Source: index.js, getNetworkTime (msg.length - 16 and msg.length - 8).
# Output seen: "12:00:00.000 is 2026-12-01T12:00:00.932Z", "12:00:00.500 is 2026-12-01T12:00:00.932Z"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @destinationstransfers/ntp@2.0.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { createSocket } = require("dgram");
const { getNetworkTime } = require("@destinationstransfers/ntp");

(async () => {
  for (const millisecond of [0, 250, 500]) {
    const socket = createSocket("udp4");
    socket.on("message", (_, from) => {
      const packet = Buffer.alloc(48);
      packet.set([0x1c, 2]);
      for (const at of [32, 40]) {
        packet.writeUInt32BE((Date.UTC(2026, 11, 1, 12) - Date.UTC(1900, 0)) / 1000, at);
        packet.writeUInt32BE((millisecond / 1000) * 2 ** 32, at + 4);
      }
      socket.send(packet, from.port, from.address);
    });
    await new Promise((ready) => socket.bind(0, "127.0.0.1", ready));
    const time = await getNetworkTime({ server: "127.0.0.1", port: socket.address().port });
    console.log(`12:00:00.${String(millisecond).padStart(3, "0")} is ${time.toISOString()}`);
    socket.close();
  }
})();
JS
seen=$(timeout 60 node run.js)
echo "$seen"
[ "$seen" = "12:00:00.000 is 2026-12-01T12:00:00.932Z
12:00:00.250 is 2026-12-01T12:00:00.932Z
12:00:00.500 is 2026-12-01T12:00:00.932Z" ] || { echo "changed" >&2; exit 1; }
