#!/usr/bin/env bash
# stomp-broker-js 1.3.0 (npm): an empty line in a message arrives as a comma.
#
# Guess: the first empty line ends the headers, and all behind it, to the null octet or as content-length says, is the body (STOMP 1.1,
#   "STOMP Frames"): the subscriber gets what was sent. Mails, records and texts of several paragraphs have empty lines.
# Seen: the frame is split at each empty line, and the pieces behind the headers become a text the way JavaScript joins lists: with
#   commas. Two empty lines in a row make one comma and a line feed. content-length is then written anew to fit, so that the subscriber
#   has nothing to notice it by. Bodies without an empty line, JSON on one line above all, are right.
# Source: lib/stomp-utils.js, parseFrame (split('\n\n'), body.toString()); stompServer.js, onSend (content-length).
# Output seen: sent 16: "one\n\ntwo\n\n\nthree", got 14: "one,two,\nthree"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund stomp-broker-js@1.3.0 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const http = require("http");
const StompServer = require("stomp-broker-js");
const WebSocket = require("ws");

const server = http.createServer();
const broker = new StompServer({ server, path: "/stomp", heartbeat: [0, 0] });
const body = "one\n\ntwo\n\n\nthree";
broker.subscribe("/texts", (text, headers) => {
  console.log(`got ${headers["content-length"]}: ${JSON.stringify(text)}`);
  process.exit(0);
});
server.listen(0, "127.0.0.1", () => {
  const client = new WebSocket(`ws://127.0.0.1:${server.address().port}/stomp`);
  client.on("open", () => client.send("CONNECT\naccept-version:1.1\nhost:h\n\n\0"));
  client.on("message", () => {
    console.log(`sent ${body.length}: ${JSON.stringify(body)}`);
    client.send(`SEND\ndestination:/texts\ncontent-length:${body.length}\n\n${body}\0`);
  });
});
JS
seen=$(timeout 60 node run.js 2>/dev/null)
echo "$seen"
[ "$seen" = 'sent 16: "one\n\ntwo\n\n\nthree"
got 14: "one,two,\nthree"' ] || { echo "changed" >&2; exit 1; }
