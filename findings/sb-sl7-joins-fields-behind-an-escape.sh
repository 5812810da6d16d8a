#!/usr/bin/env bash
# @sourceblock-ug/sb-sl7 2.0.18 (npm): behind a value that ends with an escape sequence all fields of the segment move one place forward.
#
# Guess: in HL7 a delimiter within a value is written as a sequence of letters, \F\, \S\, \T\ (HL7 v2.5.1, §2.7), so that "|" always parts two fields. The unit behind
#   a text that ends with a line break, "\.br\", is OBX-6 as ever.
# Seen: a backslash in front of "|" is taken for that of other formats: it goes, and the "|" becomes part of the value. OBX-5 is "first line\.br|mg", OBX-6 the
#   range, and the status of the result, OBX-11, is empty. The message is written as it was read, which hides it. Sequences in the middle of a value are right.
# Source: dist/structure.js, parseParts (part.endsWith(escape)).
# Output seen: "plain: OBX-5 "x", OBX-6 "mg", OBX-11 "F"", "line break: OBX-5 "first line\\.br|mg", OBX-6 "0-5", OBX-11 """
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @sourceblock-ug/sb-sl7@2.0.18 >/dev/null || exit 2
cat >run.js <<'JS'
const { Message } = require("@sourceblock-ug/sb-sl7");
for (const [name, value] of [["plain", "x"], ["ampersand", "R \\T\\ D"], ["line break", "first line\\.br\\"]]) {
  const message = new Message(`MSH|^~\\&|A|B|C|D|20260102||ORU^R01|1|P|2.5.1\rOBX|1|FT|CODE||${value}|mg|0-5|N|||F\r`);
  console.log(`${name}: ${[5, 6, 11].map((place) => `OBX-${place} ${JSON.stringify(message.getString(`OBX-${place}`))}`).join(", ")}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'plain: OBX-5 "x", OBX-6 "mg", OBX-11 "F"
ampersand: OBX-5 "R \\T\\ D", OBX-6 "mg", OBX-11 "F"
line break: OBX-5 "first line\\.br|mg", OBX-6 "0-5", OBX-11 ""' ] || { echo "changed" >&2; exit 1; }
