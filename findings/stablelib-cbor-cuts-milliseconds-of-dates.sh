#!/usr/bin/env bash
# @stablelib/cbor 2.0.4 (npm): a Date loses its milliseconds, and a Map and a Set are written as empty maps.
#
# Guess: the text of tag 0 is that of RFC 3339, which has fractions of seconds (RFC 8949 §3.4.1), and what is written and read is the same Date; a Map, the type whose keys need not be
#   texts, is a map of CBOR, or it is refused, as a bigint is.
# Seen: 2017-07-14T02:40:00.123Z is written as "2017-07-14T02:40:00Z", so that events of one second fall together; fractions of others are read. new Map([["a", 1]]) and new Set([1]) are
#   a0, without an error.
# Source: lib/cbor.js, DateStringEncoder (the fraction is cut from toISOString); the encoder of objects takes Object.keys.
# Output seen: "date: 1500000000123 is 1500000000000", "read: 1500000000123", "Map: a0", "Set: a0", "object: a1616101"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @stablelib/cbor@2.0.4 >/dev/null 2>&1 || exit 2
cat >run.mjs <<'JS'
import { decode, encode } from "@stablelib/cbor";
const hex = (value) => Buffer.from(encode(value)).toString("hex");
const date = new Date(1500000000123);
console.log(`date: ${date.getTime()} is ${decode(encode(date)).getTime()}`);
const text = Buffer.from(date.toISOString());
console.log("read:", decode(Uint8Array.from([0xc0, 0x78, text.length, ...text])).getTime());
console.log("Map:", hex(new Map([["a", 1]])));
console.log("Set:", hex(new Set([1])));
console.log("object:", hex({ a: 1 }));
JS
seen=$(node run.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = "date: 1500000000123 is 1500000000000
read: 1500000000123
Map: a0
Set: a0
object: a1616101" ] || { echo "changed" >&2; exit 1; }
