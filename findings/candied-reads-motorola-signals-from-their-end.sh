#!/usr/bin/env bash
# candied 2.2.0 (npm): big-endian signals of a DBC file are taken from the wrong side of their start bit: 7|16@0+ is NaN, and others have foreign bits.
#
# Guess: the start bit of a Motorola signal is its most significant bit (DBC format, SG_: byte order 0), from which it runs down and into the next
#   octets: 7|16@0+ is the first two octets, 4660 here.
# Seen: the start bit is taken for the last bit, as that of Intel signals is the lowest. A signal at the start of the frame is NaN; 23|8@0- has seven
#   bits of the octet before. Only signals of one bit are right.
# Source: lib/can/BitUtils.js, extractBitRange (endOfBitField - bitRange + 1).
# Output seen: "Speed: NaN, expected 4660", "Temperature: 105, expected -2", "Flag: 1, expected 1", "Intel: 13330, expected 13330"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts candied@2.2.0 >/dev/null 2>&1 || exit 2
cat >run.mjs <<'MJS'
import { Can, Dbc } from "candied";

const text = `VERSION ""

BU_: A

BO_ 100 M: 8 A
 SG_ Speed : 7|16@0+ (1,0) [0|65535] "" A
 SG_ Temperature : 23|8@0- (1,0) [-128|127] "" A
 SG_ Flag : 32|1@0+ (1,0) [0|1] "" A
 SG_ Intel : 0|16@1+ (1,0) [0|65535] "" A
`;
const can = new Can();
can.database = new Dbc().load(text);
const frame = can.decode(can.createFrame(100, [0x12, 0x34, 0xfe, 0x00, 0x01, 0, 0, 0]));
for (const [name, expected] of Object.entries({ Speed: 0x1234, Temperature: -2, Flag: 1, Intel: 0x3412 })) {
  console.log(`${name}: ${frame.boundSignals.get(name).value}, expected ${expected}`);
}
MJS
seen=$(node run.mjs)
echo "$seen"
[ "$seen" = "Speed: NaN, expected 4660
Temperature: 105, expected -2
Flag: 1, expected 1
Intel: 13330, expected 13330" ] || { echo "changed" >&2; exit 1; }
