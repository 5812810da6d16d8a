#!/usr/bin/env bash
# glossy 0.1.7 (npm): behind structured data a text is cut at its last word that ends in a bracket.
#
# Guess: structured data ends at the bracket that closes its last element (RFC 5424 §6.3); the rest of the line is the text, whatever brackets
#   are in it: "path to [2001:db8::1] is down" is a usual text. Without structured data ("-") it is so here. Priority 0 is an
#   emergency of the kernel (§6.2.1) as 3 is an error of it.
# Seen: all words up to the last one that ends in "]" are taken for structured data, and those that fit no pattern are thrown away: of the text
#   "is down" is left, and of "is down [192.0.2.1]" nothing. Priority 0 has no facility and no severity: a rule for
#   "emerg" sees no panic.
# Source: lib/glossy/parse.js, parse: the loop from segments.length - 1 down; decodePri: `returnVal.prival && ...`.
# Output seen: "inside: is down", "last: ", "none: path to [2001:db8::1] is down", "3: kern err", "0: undefined undefined"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund glossy@0.1.7 >/dev/null || exit 2
cat >run.js <<'JS'
const { Parse } = require("glossy");
const show = (name, rest) => {
  const line = Parse.parse(`<13>1 2025-01-01T00:00:00Z alpha sctpd 1 down ${rest}`);
  console.log(`${name}: ${line.message}`);
};
show("inside", '[path@32473 rto="1"] path to [2001:db8::1] is down');
show("last", '[path@32473 rto="1"] path is down [192.0.2.1]');
show("none", "- path to [2001:db8::1] is down");
for (const priority of [3, 0]) {
  const line = Parse.parse(`<${priority}>Jan  2 03:04:05 alpha kernel: sctp: panic`);
  console.log(`${priority}: ${line.facility} ${line.severity}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "inside: is down
last: 
none: path to [2001:db8::1] is down
3: kern err
0: undefined undefined" ] || { echo "changed" >&2; exit 1; }
