#!/usr/bin/env bash
# @iljucha/cbor 1.0.10 (npm): 10n is written as a date, a RegExp with the tag of times, a Date as a bignum, a Map as a negative bignum and a Set as a decimal fraction.
#
# Guess: tags 0 to 4 mean what RFC 8949 §3.4 says: a date as text, a time in seconds, an unsigned and a negative bignum of octets, a decimal fraction. 10n is 0a, a Date has tag 0 or 1.
# Seen: the package numbers its own types from 0 on: BigInt, RegExp, Date, Map, Set. Other readers find a date that reads "10", or a bignum that is no byte string. What it reads from others
#   is taken the same way: the date of RFC 8949, Appendix A, is a syntax error of BigInt. Two programs with the package understand each other.
# Source: lib/cbor.js, addEncoder and addDecoder for the built-in types, with consecutive tags.
# Output seen: "10n: c0623130", "Date: c200", "RegExp: c18261616167", "Map: c38182616b01", "Set: c48101", "date of others: SyntaxError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @iljucha/cbor@1.0.10 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const cbor = require("@iljucha/cbor").default;
const hex = (value) => Buffer.from(cbor.encode(value)).toString("hex");
const values = { "10n": 10n, Date: new Date(0), RegExp: /a/g, Map: new Map([["k", 1]]), Set: new Set([1]) };
for (const [name, value] of Object.entries(values)) console.log(`${name}: ${hex(value)}`);
try {
  console.log("date of others:", cbor.decode(Buffer.from("c074323031332d30332d32315432303a30343a30305a", "hex")));
} catch (error) {
  console.log("date of others:", error.name);
}
JS
seen=$(node run.js 2>/dev/null)
echo "$seen"
[ "$seen" = "10n: c0623130
Date: c200
RegExp: c18261616167
Map: c38182616b01
Set: c48101
date of others: SyntaxError" ] || { echo "changed" >&2; exit 1; }
