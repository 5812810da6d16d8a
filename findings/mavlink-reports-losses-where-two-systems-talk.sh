#!/usr/bin/env bash
# mavlink 1.0.1 (npm): with two vehicles on a link each message is a sequenceError, and a real loss before a wrap is none.
#
# Guess: each component counts its own messages (MAVLink, "Packet serialization": the sequence is for each component), and a parser made for system 1,
#   component 1 tells of gaps in what that one sends.
# Seen: one counter is kept for all senders, before messages of others are dropped. Two vehicles that take turns give an error for each message (4 of 4
#   here, with 9 and -11 messages lost by turns), though the parser was made for the first alone and nothing is lost. A message with the number 0 is
#   never an error, so that what is lost before the counter wraps is not told.
# Source: src/mavlink.js, parseChar: lastCounter, "buffer[2] > 0 &&", and the test of sysid behind it.
# Output seen: "one vehicle, 1 to 4: 0 errors", "two vehicles, 5 and 6, 15 and 16: 4 errors 10 -11 10 -11", "one vehicle, 7, 0: 0 errors"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts mavlink@1.0.1 xml2js@0.6.2 >/dev/null || exit 2
cat >run.js <<'JS'
const Mavlink = require("mavlink");
const fields = { type: 1, autopilot: 3, base_mode: 0, custom_mode: 0, system_status: 4, mavlink_version: 3 };
const make = (link, sequence) => new Promise((done) => {
    link.sequence = sequence - 1;
    link.createMessage("HEARTBEAT", fields, (message) => done(message.buffer));
});
const ready = (link) => new Promise((done) => link.on("ready", () => done(link)));
(async () => {
    const [first, second, ear] = await Promise.all([new Mavlink(1, 1), new Mavlink(2, 1), new Mavlink(1, 1)].map(ready));
    let errors = [];
    ear.on("sequenceError", (lost) => errors.push(lost));
    const hear = async (name, list) => {
        errors = [];
        for (const [link, sequence] of list) ear.parse(await make(link, sequence));
        console.log(`${name}: ${errors.length} errors ${errors.join(" ")}`.trim());
    };
    await hear("one vehicle, 1 to 4", [[first, 1], [first, 2], [first, 3], [first, 4]]);
    await hear("two vehicles, 5 and 6, 15 and 16", [[second, 15], [first, 5], [second, 16], [first, 6]]);
    await hear("one vehicle, 7, 0", [[first, 7], [first, 0]]);
})();
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "one vehicle, 1 to 4: 0 errors
two vehicles, 5 and 6, 15 and 16: 4 errors 10 -11 10 -11
one vehicle, 7, 0: 0 errors" ] || { echo "changed" >&2; exit 1; }
