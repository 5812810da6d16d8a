#!/usr/bin/env bash
# @ellipticoin/cbor 1.0.4 (npm): the time of RFC 8949's own example, 1363896240 with tag 1, is a day of January 1970, and a Map is written as an empty one.
#
# Guess: a number with tag 1 is a time in seconds since 1970 (RFC 8949 §3.4.2), c1 1a514b67b0 the 21st of March 2013, 20:04:00 (Appendix A); the package reads it as a Date.
#   A Map is a map of CBOR, as an object is.
# Seen: the seconds are handed to Date, which takes milliseconds: 1970-01-16T18:51:36.240Z. Fractions of seconds are lost likewise. Dates of the package itself are texts with tag 0,
#   so that it reads its own rightly. new Map([["a", 1]]) and a Set are a0, an empty map, without an error.
# Source: main.js, the semantic decoder of tag 1 (new Date of the number, as for the text of tag 0); the encoder's keys are those of Object.keys.
# Output seen: "tag 1: 1970-01-16T18:51:36.240Z", "own date: 2013-03-21T20:04:00.000Z", "object: a1616101", "Map: a0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @ellipticoin/cbor@1.0.4 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { decode, encode } = require("@ellipticoin/cbor");
const hex = (value) => Buffer.from(encode(value)).toString("hex");
console.log("tag 1:", decode(Buffer.from("c11a514b67b0", "hex")).toISOString());
console.log("own date:", decode(Buffer.from(encode(new Date("2013-03-21T20:04:00Z")))).toISOString());
console.log("object:", hex({ a: 1 }));
console.log("Map:", hex(new Map([["a", 1]])));
JS
seen=$(node run.js 2>/dev/null)
echo "$seen"
[ "$seen" = "tag 1: 1970-01-16T18:51:36.240Z
own date: 2013-03-21T20:04:00.000Z
object: a1616101
Map: a0" ] || { echo "changed" >&2; exit 1; }
