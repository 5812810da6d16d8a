#!/usr/bin/env bash
# asterisk-ami-event-utils 2.0.2 (npm): of what a command of Asterisk prints the last line is left, and of several variables the last.
#
# Guess: fields that come several times in one message are a list, as other readers of this protocol have them: since Asterisk 14 each line of a
#   command's output is a field of its own, "Output:", and an event has a ChanVariable for each variable of the channel.
# Seen: each field overwrites the one before, silently: of "sip show peers" one line, the sum at the end, of two variables the second. toArray, with its
#   pairs, goes by the same object. A response in whose text "Action:" stands anywhere is taken for an event, for the pattern ^Event|Action: is
#   anchored in its first half alone.
# Source: lib/rawToObject.js, rowReducer (resultObj[name] = ...), /^Event|Action:/i; lib/rawToArray.js.
# Output seen: "Output: 2 sip peers", "ChanVariable: b=2", "pairs: 3"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund asterisk-ami-event-utils@2.0.2 >/dev/null || exit 2
cat >run.js <<'JS'
const utils = require("asterisk-ami-event-utils");
const raw = (...lines) => Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
const command = raw("Response: Success", "Message: Command output follows", "Output: alice 192.0.2.1", "Output: bob 192.0.2.2",
  "Output: 2 sip peers");
const event = raw("Event: Newchannel", "ChanVariable: a=1", "ChanVariable: b=2");
console.log("Output:", utils.toObject(command).Output);
console.log("ChanVariable:", utils.toObject(event).ChanVariable);
console.log("pairs:", utils.toArray(command).length);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "Output: 2 sip peers
ChanVariable: b=2
pairs: 3" ] || { echo "changed" >&2; exit 1; }
