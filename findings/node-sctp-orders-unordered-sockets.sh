#!/usr/bin/env bash
# sctp 1.0.0 (npm): the option `unordered: true` of a socket has no effect on the wire.
#
# Guess: DATA of such a socket has the U bit (RFC 9260 §3.3.1), as the README says of the option ("unordered mode"), and
#   its other options, stream_id and ppid, do what they say.
# Seen: B and E are set, U is not, and the stream sequence number counts: one lost packet holds up all that follow on the
#   stream. The socket keeps the option and hands the association the stream and the ppid only.
# Source: lib/sockets.js (_write), lib/association.js (SEND, which would take it).
# Output seen: "flags 3 stream 1 ppid 51"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund sctp@1.0.0
cat >run.js <<'JS'
const dgram = require("dgram");
const sctp = require("sctp");
setTimeout(() => process.exit(2), 20000).unref();
const udp = () =>
  new Promise((bound) => {
    const socket = dgram.createSocket("udp4");
    socket.bind(0, "127.0.0.1", () => bound(socket));
  });
(async () => {
  const [from, to] = [await udp(), await udp()];
  const options = (mine, other) => ({
    localPort: 5000,
    port: 5000,
    udpTransport: mine,
    udpPeer: { host: "127.0.0.1", port: other.address().port },
  });
  to.on("message", (packet) => {
    if (packet[12] !== 0) return;
    const [flags, stream, ppid] = [packet[13], packet.readUInt16BE(20), packet.readUInt32BE(24)];
    console.log(`flags ${flags} stream ${stream} ppid ${ppid}`);
    process.exit();
  });
  sctp.connect({ passive: true, ...options(to, from) });
  const socket = sctp.connect({ unordered: true, stream_id: 1, ppid: 51, ...options(from, to) }, () =>
    socket.write(Buffer.from("hello")),
  );
})();
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "flags 3 stream 1 ppid 51" ] || { echo "changed" >&2; exit 1; }
