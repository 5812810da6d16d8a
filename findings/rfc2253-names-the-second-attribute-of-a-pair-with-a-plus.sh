#!/usr/bin/env bash
# rfc2253 0.2.0 (npm): of a name with two attributes in one part the second is called "+CN".
#
# Guess: OU=Sales+CN=J. Smith is one part of two attributes, OU and CN (the example in RFC 2253 §5), and parts can be asked for either.
# Seen: the plus ends the first value, but is kept as the first letter of the next name. has("CN") is false, get("CN") undefined; the value is under
#   "+CN". Formatted again the part begins with "\+CN=", a name that no directory takes, and what was parsed does not match what was built from the same
#   pair.
# Source: lib/parse.js, the branch for "," ";" and "+", which goes on to the next letter only for the first two.
# Output seen: "OU Sales, CN undefined, +CN J. Smith, O Widget Inc.", "\+CN=J. Smith+OU=Sales,O=Widget Inc.,C=US", "matches the same built: false"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts rfc2253@0.2.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { format, parse } = require("rfc2253");
const name = parse("OU=Sales+CN=J. Smith,O=Widget Inc.,C=US");
console.log(`OU ${name.get("OU")}, CN ${name.get("CN")}, +CN ${name.get("+CN")}, O ${name.get("O")}`);
console.log(name.format());
console.log(`matches the same built: ${name.match(parse(format([{ OU: "Sales", CN: "J. Smith" }, { O: "Widget Inc." }, { C: "US" }])))}`);
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = 'OU Sales, CN undefined, +CN J. Smith, O Widget Inc.
\+CN=J. Smith+OU=Sales,O=Widget Inc.,C=US
matches the same built: false' ] || { echo "changed" >&2; exit 1; }
