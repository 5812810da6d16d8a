#!/usr/bin/env bash
# asterisk-ami-event-utils 2.0.2 (npm): of a command's output the last line is left, and of a channel's variables the last, in a list of pairs, too.
#
# Guess: Asterisk's manager interface repeats a header for each value: since version 14 each line of a command's output is an "Output:" header of its own, and
#   events have a ChanVariable for each variable. toObject() would make lists of them; toArray() is a list of pairs and has room for all.
# Seen: each header replaces the one before. Of the three lines of "core show channels" one is left, without a hint. toArray() reads into an object
#   first and lists what that has kept. fromArray() of the same package writes a header twice.
# Source: lib/rawToObject.js, rowReducer; lib/rawToArray.js. Asterisk's UPGRADE notes of version 14 (AMI, the Command action).
# Output seen: "command: "2 active channels", 1 of 3 in the list", "event: [["ChanVariable","queue=7"]]", "written: ["Variable: a=1","Variable: b=2"]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund asterisk-ami-event-utils@2.0.2 >/dev/null || exit 2
cat >run.js <<'JS'
const { toObject, toArray, fromArray } = require("asterisk-ami-event-utils");
const lines = (...rows) => Buffer.from(`${rows.join("\r\n")}\r\n\r\n`);
const answer = lines("Response: Success", "Message: Command output follows", "Output: PJSIP/alice-00000001", "Output: PJSIP/bob-00000002",
  "Output: 2 active channels");
console.log(`command: ${JSON.stringify(toObject(answer).Output)}, ${toArray(answer).filter(([name]) => name === "Output").length} of 3 in the list`);
const event = lines("Event: Newchannel", "Channel: PJSIP/alice-00000001", "ChanVariable: tenant=1", "ChanVariable: queue=7");
console.log(`event: ${JSON.stringify(Object.entries(toObject(event)).slice(2))}`);
const show = (text) => JSON.stringify(text.split("\r\n").filter((row) => row.startsWith("Variable")));
console.log(`written: ${show(fromArray([["Action", "Originate"], ["Variable", "a=1"], ["Variable", "b=2"]]))}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'command: "2 active channels", 1 of 3 in the list
event: [["ChanVariable","queue=7"]]
written: ["Variable: a=1","Variable: b=2"]' ] || { echo "changed" >&2; exit 1; }
