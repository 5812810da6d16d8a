#!/usr/bin/env bash
# ntp-time 2.1.1 (npm): an answer of stratum 0, by which a server asks to be left alone, is given as an answer of stratum 2.
#
# Guess: stratum 0 with the reference identifier RATE (RFC 5905 §7.4, kiss-o'-death; RFC 4330 §8: stop sending to that server) raises, or
#   is given as stratum 0 at least, so that the caller can see that the time in it is not to be used.
# Seen: stratum 2, the one of most servers, and no error: 0 counts as "not given", and 2 stands in for it. A poll interval of 0, one second, is 10
#   in the same way, 1024 seconds. The time of the packet goes into offset and delay; a loop with two servers goes on
#   asking the one that refused. A stratum of 1 or 3 is given right.
# Source: src/packet.js, NTPPacket.parse: parseInt(data[1]) || 2, parseInt(data[2]) || 10.
# Output seen: "sent stratum 3, poll 6: 3 6", "sent stratum 0, poll 0: 2 10 RATE"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ntp-time@2.1.1 >/dev/null || exit 2
cat >run.js <<'JS'
const { Client } = require("ntp-time");
const dgram = require("dgram");
const ask = (stratum, poll, identifier) =>
  new Promise((done) => {
    const server = dgram.createSocket("udp4", (request, from) => {
      const answer = Buffer.alloc(48);
      answer.set([0xe4, stratum, poll, 0xe8]);
      answer.write(identifier, 12, "latin1");
      request.copy(answer, 24, 40, 48); // originate timestamp
      request.copy(answer, 32, 40, 48); // receive timestamp
      request.copy(answer, 40, 40, 48); // transmit timestamp
      server.send(answer, from.port, from.address, () => server.close());
    });
    server.bind(0, "127.0.0.1", async () => {
      const seen = await new Client("127.0.0.1", server.address().port).syncTime();
      const kiss = seen.referenceIdentifier.toString("latin1");
      done(`sent stratum ${stratum}, poll ${poll}: ${seen.stratum} ${seen.pollInterval} ${kiss === "RATE" ? kiss : ""}`.trim());
    });
  });
(async () => {
  console.log(await ask(3, 6, "\xc0\x00\x02\x01"));
  console.log(await ask(0, 0, "RATE"));
})();
JS
seen=$(timeout 20 node run.js 2>&1)
echo "$seen"
[ "$seen" = "sent stratum 3, poll 6: 3 6
sent stratum 0, poll 0: 2 10 RATE" ] || { echo "changed" >&2; exit 1; }
