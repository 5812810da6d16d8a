#!/usr/bin/env bash
# lora-packet 0.9.3 (npm): the counter of a rejoin request of type 1 is two octets of the DevEUI, and the text of the packet is a TypeError.
#
# Guess: behind the type follow JoinEUI (8), DevEUI (8) and RJcount1 (2) (LoRaWAN 1.1 §6.2.4.2), so that the counter is octets 18 and 19, 0201 here,
#   and new in each request.
# Seen: the counter is read from octets 13 and 14, where it is in a request of type 0 with its NetID of three octets: the same for all requests of a
#   device, so that a server which wants it to grow refuses the second one. toString asks for RJCount0, which such a packet has not.
# Source: out/lib/LoraPacket.js, PACKET_STRUCTURES.REJOIN_TYPE_2 and toString.
# Output seen: "counter 0102: DevEUI 1817161514131211, RJCount1 1514", "TypeError", "counter 0202: DevEUI 1817161514131211, RJCount1 1514", "TypeError", "type 0: RJCount0 0202"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts lora-packet@0.9.3 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { fromWire } = require("lora-packet");

for (const counter of ["0102", "0202"]) {
  const packet = fromWire(Buffer.from("c0" + "01" + "0102030405060708" + "1112131415161718" + counter + "31323334", "hex"));
  console.log(`counter ${counter}: DevEUI ${packet.DevEUI.toString("hex")}, RJCount1 ${packet.RJCount1.toString("hex")}`);
  try {
    packet.toString();
  } catch (error) {
    console.log(error.name);
  }
}
const packet = fromWire(Buffer.from("c0" + "00" + "010203" + "1112131415161718" + "0202" + "31323334", "hex"));
console.log(`type 0: RJCount0 ${packet.RJCount0.toString("hex")}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "counter 0102: DevEUI 1817161514131211, RJCount1 1514
TypeError
counter 0202: DevEUI 1817161514131211, RJCount1 1514
TypeError
type 0: RJCount0 0202" ] || { echo "changed" >&2; exit 1; }
