#!/usr/bin/env bash
# parse-cache-control 1.0.1 (npm): "Max-Age=60" has no max-age, and community="UCI" becomes "uci".
#
# Guess: names of directives are compared without regard to case (RFC 9111 §5.2), values are not said to be: the example there of an extension is
#   community="UCI".
# Seen: it is the other way round: names keep their case, so that Max-Age, as it may be written, is found under that spelling alone and as a text, and
#   all values are made small. A quoted value keeps its backslashes.
# Source: index.js (header[$1] = value ? value.toLowerCase() : true).
# Output seen: "max-age=60: {"max-age":60}", "Max-Age=60, No-Store: {"Max-Age":"60","No-Store":true}", "private, community="UCI": {"private":true,"community":"uci"}", "note="a\"b": {"note":"a\\\"b"}"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts parse-cache-control@1.0.1 >/dev/null || exit 2
cat >run.js <<'JS'
const parse = require("parse-cache-control");
for (const field of ["max-age=60", "Max-Age=60, No-Store", 'private, community="UCI"', 'note="a\\"b"']) {
    console.log(`${field}: ${JSON.stringify(parse(field))}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = 'max-age=60: {"max-age":60}
Max-Age=60, No-Store: {"Max-Age":"60","No-Store":true}
private, community="UCI": {"private":true,"community":"uci"}
note="a\"b": {"note":"a\\\"b"}' ] || { echo "changed" >&2; exit 1; }
