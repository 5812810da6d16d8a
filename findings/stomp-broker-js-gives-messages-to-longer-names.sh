#!/usr/bin/env bash
# stomp-broker-js 1.3.0 (npm): a subscription of one sensor also gets what is sent to the floor and to the house above it.
#
# Guess: a message for /house.floor goes to subscriptions of /house.floor and of patterns that it fits (* is one name, ** is any further
#   names, README and JSDoc of subscribe); /house.floor.sensor is another destination.
# Seen: only the names of the message's destination are gone through; that the subscription has further ones is not asked. A message for
#   the shorter name goes to all subscriptions below it as well, each with its own id and the shorter destination. The other way round,
#   and with names of the same depth, it is right, so that a test with one level passes.
# Source: stompServer.js, _checkSubMatchDest (the loop ends with the tokens of args.dest).
# Output seen: "/house.floor.sensor gets /house, /house.floor, /house.floor.sensor", "/house gets /house", "/house.*.sensor gets the same"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund stomp-broker-js@1.3.0 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const http = require("http");
const StompServer = require("stomp-broker-js");

const broker = new StompServer({ server: http.createServer(), path: "/stomp" });
const client = { sessionId: "client" };
for (const topic of ["/house.floor.sensor", "/house", "/house.*.sensor"]) {
  const got = [];
  broker.subscribe(topic, (text) => got.push(text));
  for (const dest of ["/house", "/house.floor", "/house.floor.sensor", "/house.floor.sensor.x"])
    broker.onSend(client, { dest, frame: { headers: { destination: dest }, body: dest } });
  console.log(`${topic} gets ${got.join(", ")}`);
}
JS
seen=$(timeout 60 node run.js 2>/dev/null)
echo "$seen"
[ "$seen" = "/house.floor.sensor gets /house, /house.floor, /house.floor.sensor
/house gets /house
/house.*.sensor gets /house, /house.floor, /house.floor.sensor" ] || { echo "changed" >&2; exit 1; }
