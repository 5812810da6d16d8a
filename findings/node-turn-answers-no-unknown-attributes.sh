#!/usr/bin/env bash
# node-turn 0.0.6 (npm): a request with one attribute that the server does not know gets no answer.
#
# Guess: an unknown attribute from 0x8000 on is passed over, and one below gets the error 420 with a list of what is unknown
#   (RFC 8489 §6.3.1): clients add such for what some servers can do, and leave them out when 420 comes.
# Seen: silence for both, whatever else the request has. A binding request with a browser's network cost (0xC057), or an
#   Allocate with REQUESTED-ADDRESS-FAMILY (RFC 8656 §18.6), as clients for IPv6 send it, is repeated until the client
#   gives up after 39.5 s; the server looks dead to some clients and well to others.
# Source: lib/attribute.js, read, which throws for each type that its switch does not have; lib/network.js drops the packet.
# Output seen: "plain: answered", "SOFTWARE: answered", "0xC057: silence", "Allocate: answered", "Allocate IPv4: silence"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund node-turn@0.0.6 >/dev/null || exit 2
cat >run.js <<'JS'
const dgram = require("dgram");
const Turn = require("node-turn");
const port = 20000 + process.pid % 20000;
const local = ["127.0.0.1"];
new Turn({ authMech: "none", listeningIps: local, listeningPort: port, relayIps: local, debugLevel: "OFF" }).start();
const socket = dgram.createSocket("udp4");
let count = 0;
const request = (type, attributes) => {
  const body = Buffer.concat(attributes.map(([kind, value]) => {
    const head = Buffer.alloc(4);
    head.writeUInt16BE(kind, 0);
    head.writeUInt16BE(value.length, 2);
    return Buffer.concat([head, value]);
  }));
  const head = Buffer.from("000000002112a442" + "07".repeat(12), "hex");
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(body.length, 2);
  head[19] = count++;
  return Buffer.concat([head, body]);
};
const ask = (name, bytes) => new Promise((resolve) => {
  const end = (answer) => {
    clearTimeout(timer);
    socket.removeAllListeners("message");
    console.log(`${name}: ${answer}`);
    resolve();
  };
  const timer = setTimeout(() => end("silence"), 1500);
  socket.on("message", (message) => message[19] === bytes[19] && end("answered"));
  socket.send(bytes, port, "127.0.0.1");
});
const udp = [0x0019, Buffer.from([17, 0, 0, 0])];
setTimeout(async () => {
  await ask("plain", request(1, []));
  await ask("SOFTWARE", request(1, [[0x8022, Buffer.from("test")]]));
  await ask("0xC057", request(1, [[0xc057, Buffer.alloc(4)]]));
  await ask("Allocate", request(3, [udp]));
  await ask("Allocate IPv4", request(3, [udp, [0x0017, Buffer.from([1, 0, 0, 0])]]));
  process.exit(0);
}, 500);
JS
seen=$(timeout 60 node run.js)
echo "$seen"
[ "$seen" = "plain: answered
SOFTWARE: answered
0xC057: silence
Allocate: answered
Allocate IPv4: silence" ] || { echo "changed" >&2; exit 1; }
