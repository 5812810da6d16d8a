#!/usr/bin/env bash
# node-pdu 2.1.1 (npm): the first text of a message with a validity period has the period, but no bits that announce it.
#
# Guess: setValidityPeriod(86400) sets the octet 167 (TS 23.040 §9.2.3.12.1) and the format bits of the first octet (§9.2.3.3), each time that
#   the message is written; 35 days are 5 weeks, octet 197, and what is read back is what was set.
# Seen: the first octet is written before the period sets the bits: 01, and 11 only if the message is written a second time. A centre takes the
#   period for the length of the text: 167 septets, of which one is there. Its own reader reads a whole day (167) as 12.5 days and
#   two days as one; 35 days are written as 201, which is 9 weeks, and 90 days as three digits of hexadecimal, which moves all that
#   follows. Periods up to 12 hours are right, once the bits are there.
# Source: Submit.getStart, which writes type before validityPeriod.toString sets its format; VP.toString compares hours with seconds.
# Output seen: "first: 01 ... A7", "second: 11 ... A7", "day read: 1080000", "35 days: C9", "90 days: 100"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund node-pdu@2.1.1 >/dev/null || exit 2
cat >run.js <<'JS'
const { Submit, parse } = require("node-pdu");
// 00, type, reference, address of 7 octets, protocol, coding, period, length, text
const cut = (text) => `${text.slice(2, 4)} ${text.slice(24, -4)}`;
const write = (seconds) => new Submit("+4917012345", "x").setValidityPeriod(seconds);
const message = write(86400);
const [first] = message.getPartStrings();
const [second] = message.getPartStrings();
console.log(`first: ${cut(first)}`);
console.log(`second: ${cut(second)}`);
console.log(`day read: ${parse(second).validityPeriod.interval}`);
for (const days of [35, 90]) console.log(`${days} days: ${cut(write(days * 86400).getPartStrings()[0]).slice(3)}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "first: 01 A7
second: 11 A7
day read: 1080000
35 days: C9
90 days: 100" ] || { echo "changed" >&2; exit 1; }
