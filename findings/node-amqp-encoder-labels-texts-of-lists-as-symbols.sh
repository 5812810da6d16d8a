#!/usr/bin/env bash
# node-amqp-encoder 0.0.2 (npm): an array of strings goes out as an array of symbols, an empty map with a size that does not hold its count.
#
# Guess: ['array', 'string', ...] is an array with the constructor a1, strings, and ['array', 'symbol', ...] one with a3 (AMQP 1.0, Part 1,
#   §1.6.20, §1.6.21 and §1.6.24); an empty map is c1 01 00, since the size counts the octet of the count (§1.6.23).
# Seen: the constructor depends on the word "array" instead of the word for the elements, so both are a3. A broker that asks for strings, such as
#   the values of a filter, compares symbols with them, which are never equal. An empty map is c1 00 00, a size of 0 and a count that
#   stands outside of it. A list of strings, and a map with an entry, are right.
# Source: lib/encoded_to_buffer_builder.js, array (type === 'string'), map (appendUInt16BE(0)).
# Output seen: "strings: e00602a301610162", "symbols: e00602a301610162", "empty map: c10000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund node-amqp-encoder@0.0.2 >/dev/null || exit 2
cat >run.js <<'JS'
const { ProcessToBuffer } = require("node-amqp-encoder");

const show = (name, value) => console.log(`${name}: ${ProcessToBuffer(value).get().toString("hex")}`);
show("strings", ["array", "string", "a", "b"]);
show("symbols", ["array", "symbol", "a", "b"]);
show("list of strings", ["list", "a", "b"]);
show("empty map", ["map"]);
show("map", ["map", "a", ["ubyte", 1]]);
JS
seen=$(node run.js 2>/dev/null)
echo "$seen"
[ "$seen" = "strings: e00602a301610162
symbols: e00602a301610162
list of strings: c00702a10161a10162
empty map: c10000
map: c10602a101615001" ] || { echo "changed" >&2; exit 1; }
