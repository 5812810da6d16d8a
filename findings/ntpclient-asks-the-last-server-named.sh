#!/usr/bin/env bash
# ntpclient 1.16.1 (npm): two clients of two servers both ask the second one.
#
# Guess: new NTPClient("a", 123) asks a and new NTPClient("b", 123) asks b, as two objects; to ask several servers and compare them is
#   what one does with NTP (RFC 5905, §11.2: a clock is believed if it agrees with others).
# Seen: a client made from a name writes name, port and time-out into the module's own defaults, which all such clients share, also those
#   made before. Three servers that are compared agree perfectly: it is one server, asked three times. Made from an object, as in
#   the README's second example, a client has settings of its own, but starts from the changed defaults.
# Source: dist/index.js, constructor (this.config = defaultConfig).
# Output seen: "by name: 2027, 2027", "by object: 2026, 2027"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ntpclient@1.16.1 >/dev/null || exit 2
cat >run.mjs <<'JS'
import { createSocket } from "node:dgram";
import { NTPClient } from "ntpclient";

const serve = (year) => new Promise((ready) => {
  const socket = createSocket("udp4");
  socket.on("message", (_, from) => {
    const packet = Buffer.alloc(48);
    packet.set([0x1c, 2]);
    packet.writeUInt32BE((Date.UTC(year, 6) - Date.UTC(1900, 0)) / 1000, 40);
    socket.send(packet, from.port, from.address);
  });
  socket.bind(0, "127.0.0.1", () => ready(socket));
});
const servers = await Promise.all([serve(2026), serve(2027)]);
const ports = servers.map((socket) => socket.address().port);
const years = async (clients) => {
  const found = [];
  for (const client of clients) found.push((await client.getNetworkTime()).getUTCFullYear());
  return found.join(", ");
};
console.log(`by name: ${await years(ports.map((port) => new NTPClient("127.0.0.1", port)))}`);
console.log(`by object: ${await years(ports.map((port) => new NTPClient({ server: "127.0.0.1", port })))}`);
servers.forEach((socket) => socket.close());
JS
seen=$(timeout 60 node run.mjs)
echo "$seen"
[ "$seen" = "by name: 2027, 2027
by object: 2026, 2027" ] || { echo "changed" >&2; exit 1; }
