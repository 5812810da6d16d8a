#!/usr/bin/env bash
# findhit-proxywrap 0.3.13 (npm): a connection that the proxy calls UNKNOWN has no address, the true one of its socket is hidden.
#
# Guess: the short header "PROXY UNKNOWN" (a protocol that the proxy does not know) tells no addresses, and the receiver should use the parameters of the
#   real connection (specification, section 2.1): the socket keeps its own address, 127.0.0.1, and its port.
# Seen: remoteAddress is undefined and remotePort NaN: the third and fifth word of the header are taken, though it has two. Logs have
#   "undefined:NaN", and what asks for the family of the address or compares it raises. The option `strict`, on as it comes,
#   lets the header pass, as it should; "PROXY TCP4 ..." gives the addresses of the client.
# Source: lib/proxywrap.js, createSocketPropertyGetter (no question for UNKNOWN); PROXY protocol specification, section 2.1.
# Output seen: "TCP4: 192.0.2.1 40000", "UNKNOWN: undefined NaN"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund findhit-proxywrap@0.3.13 >/dev/null || exit 2
cat >run.js <<'JS'
const net = require("net");
const server = require("findhit-proxywrap").proxy(net).createServer((socket) => {
  socket.end(`${socket.remoteAddress} ${socket.remotePort}`);
});
const ask = (words) =>
  new Promise((done) => {
    let answer = "";
    const client = net.connect(server.address().port, "127.0.0.1", () => client.write(`PROXY ${words}\r\nhello`));
    client.on("data", (data) => (answer += data)).on("end", () => client.end()).on("close", () => done(answer));
  });
server.listen(0, "127.0.0.1", async () => {
  console.log("TCP4:", await ask("TCP4 192.0.2.1 192.0.2.2 40000 2905"));
  console.log("UNKNOWN:", await ask("UNKNOWN"));
  server.close();
});
JS
seen=$(timeout 20 node run.js 2>/dev/null)
echo "$seen"
[ "$seen" = "TCP4: 192.0.2.1 40000
UNKNOWN: undefined NaN" ] || { echo "changed" >&2; exit 1; }
