#!/usr/bin/env bash
# modbus-pdu 1.14.1 (npm): a device identification whose last object is named MajorMinorRevision tells the client to go on at object 21 instead of 3.
#
# Guess: with "more follows" the next object id is the one to ask for, 3 behind 2 (Modbus application protocol 1.1b3 §6.21), whether objects are given
#   by number or by the names that the package knows and returns itself.
# Seen: a name is looked up among keys, which are texts, and "2" + 1 is "21", as a number 21. A client that follows gets an exception or starts anew,
#   and never sees the objects 3 and above. Behind VendorName it is 1, "01"; with numbers it is right.
# Source: lib/protocol/READ_DEVICE_IDENTIFICATION.js, buildResponse (next_id = id + 1).
# Output seen: "behind object 0: 1 by number, 1 by name", "behind object 1: 2 by number, 11 by name", "behind object 2: 3 by number, 21 by name"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts modbus-pdu@1.14.1 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { ReadDeviceIdentification, Response } = require("modbus-pdu");

const names = ["VendorName", "ProductCode", "MajorMinorRevision"];
for (const count of [1, 2, 3]) {
  const next = [(id) => id, (id) => names[id]].map((kind) => {
    const objects = [...names.keys()].slice(0, count).map((id) => ({ id: kind(id), value: Buffer.from("x") }));
    return Response(ReadDeviceIdentification.Response.build(2, 0x82, true, objects)).next;
  });
  console.log(`behind object ${count - 1}: ${next[0]} by number, ${next[1]} by name`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "behind object 0: 1 by number, 1 by name
behind object 1: 2 by number, 11 by name
behind object 2: 3 by number, 21 by name" ] || { echo "changed" >&2; exit 1; }
