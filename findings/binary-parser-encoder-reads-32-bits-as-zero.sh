#!/usr/bin/env bash
# binary-parser-encoder 1.5.3 (npm): a bit field of 32 bits is always 0, read or written, and little-endian fields come back exchanged.
#
# Guess: the methods go "from bit1 to bit32" (README), so that a tag or sequence number of 32 bits can be a bit field as one of 31 can;
#   whatever order of bits "little" means, what encode writes parse reads again. binary-parser 2.3.0, whose fork it is, has both.
# Seen: bit32 reads 12345678 as 0 and writes each value as 00000000, without an error; bit31 is right. With endianess("little") fields of four and
#   four bits are written in one order and read in the other, {a: 1, b: 2} as {a: 2, b: 1}, and of four and twelve bits both change.
# Source: dist/binary_parser.js: the mask (1 << length) - 1, which is 0 for 32 in JavaScript, in generateBit and generate_encodeBit.
# Output seen: "bit31: 305419896", "bit32: 0, binary-parser 305419896", "written: 00000000", "little: {"a":1,"b":2} {"a":2,"b":1}"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund binary-parser-encoder@1.5.3 binary-parser@2.3.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { Parser } = require("binary-parser-encoder");
const { Parser: Other } = require("binary-parser");
const octets = Buffer.from("12345678", "hex");
console.log(`bit31: ${new Parser().bit1("a").bit31("tag").parse(octets).tag}`);
console.log(`bit32: ${new Parser().bit32("tag").parse(octets).tag}, binary-parser ${new Other().bit32("tag").parse(octets).tag}`);
console.log(`written: ${new Parser().bit32("tag").encode({ tag: 0xffffffff }).toString("hex")}`);
const little = new Parser().endianess("little").bit4("a").bit4("b");
const value = { a: 1, b: 2 };
console.log(`little: ${JSON.stringify(value)} ${JSON.stringify(little.parse(little.encode(value)))}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'bit31: 305419896
bit32: 0, binary-parser 305419896
written: 00000000
little: {"a":1,"b":2} {"a":2,"b":1}' ] || { echo "changed" >&2; exit 1; }
