#!/usr/bin/env bash
# open-sml 1.0.4 (npm): a counter of 5, 6 or 7 octets is undefined, and its octets are read as the next fields.
#
# Guess: a meter may leave out leading octets of a number (SML, BSI TR-03109-1, annex IV b, §6.2.2 and §6.2.3), as the reader knows for 3:
#   67 00 00 00 00 00 07 is 7.
# Seen: 1, 2, 3, 4 and 8 octets are known (5 too for signed numbers). Others give no value and no error, and the reader stays behind the length: the
#   first octet of the number is the next field. Meters that count tenths of a watt hour in 5 to 7 octets lose their reading and the rest of the list.
# Source: lib/SmlBuffer.js, readUnsigned and readInteger: no else behind the known lengths.
# Output seen: "readUnsigned of 1: 7, left over 0", "readUnsigned of 2: 7, left over 0", "readUnsigned of 3: 7, left over 0", "readUnsigned of 4: 7, left over 0", "readUnsigned of 5: undefined, left over 5", "readUnsigned of 6: undefined, left over 6", "readUnsigned of 7: undefined, left over 7", "readUnsigned of 8: 7, left over 0", "readInteger of 1: 7, left over 0", "readInteger of 2: 7, left over 0", "readInteger of 3: 7, left over 0", "readInteger of 4: 7, left over 0", "readInteger of 5: 7, left over 0", "readInteger of 6: undefined, left over 6", "readInteger of 7: undefined, left over 7", "readInteger of 8: 7, left over 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts open-sml@1.0.4 >/dev/null || exit 2
cat >run.cjs <<'JS'
const SmlBuffer = require("open-sml").SmlBuffer || require("open-sml/lib/SmlBuffer");
for (const [method, type] of [["readUnsigned", 0x60], ["readInteger", 0x50]]) {
  for (const count of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const octets = Buffer.alloc(count + 1);
    octets[0] = type | (count + 1);
    octets[count] = 7;
    const reader = new SmlBuffer(octets);
    console.log(`${method} of ${count}: ${reader[method]()}, left over ${octets.length - reader.getOffset()}`);
  }
}
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "readUnsigned of 1: 7, left over 0
readUnsigned of 2: 7, left over 0
readUnsigned of 3: 7, left over 0
readUnsigned of 4: 7, left over 0
readUnsigned of 5: undefined, left over 5
readUnsigned of 6: undefined, left over 6
readUnsigned of 7: undefined, left over 7
readUnsigned of 8: 7, left over 0
readInteger of 1: 7, left over 0
readInteger of 2: 7, left over 0
readInteger of 3: 7, left over 0
readInteger of 4: 7, left over 0
readInteger of 5: 7, left over 0
readInteger of 6: undefined, left over 6
readInteger of 7: undefined, left over 7
readInteger of 8: 7, left over 0" ] || { echo "changed" >&2; exit 1; }
