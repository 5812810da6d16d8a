#!/usr/bin/env bash
# diameter 0.7.0 (npm, node-diameter): of requests that arrive together only the first is handled.
#
# Guess: the length in the header (RFC 6733 §3) separates messages of a byte stream; three requests in one segment are
#   three events, as in any reader of a stream.
# Seen: one event per piece that the socket gives. The second request waits until anything else arrives, the third until
#   something arrives after that: under load answers fall behind by one message with each bundle, and the peer's watchdog
#   and request timers run out, which no slow test by hand shows.
# Source: lib/diameter-connection.js: the listener for `data` asks once whether a message is whole.
# Output seen: "together: 1", "after a fourth: 2"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund diameter@0.7.0
cat >run.js <<'JS'
const codec = require("diameter/lib/diameter-codec");
const diameter = require("diameter");
const net = require("net");
setTimeout(() => process.exit(2), 20000).unref();
const request = (id) => {
  const message = codec.constructRequest("Diameter Common Messages", "Accounting", id);
  message.header.hopByHopId = 1;
  return codec.encodeMessage(message);
};
const later = () => new Promise((done) => setTimeout(done, 1000));
let events = 0;
const server = diameter.createServer({}, (socket) => socket.on("diameterMessage", () => events++));
server.listen(0, "127.0.0.1", async () => {
  const socket = net.connect(server.address().port, "127.0.0.1");
  socket.write(Buffer.concat(["one", "two", "three"].map(request)));
  await later();
  console.log(`together: ${events}`);
  socket.write(request("four"));
  await later();
  console.log(`after a fourth: ${events}`);
  process.exit();
});
JS
seen=$(node --no-deprecation run.js)
echo "$seen"
[ "$seen" = $'together: 1\nafter a fourth: 2' ] || { echo "changed" >&2; exit 1; }
