#!/usr/bin/env bash
# hl7 1.1.1 (npm): a message whose header names @ as the separator of components is written with ^.
#
# Guess: MSH-1 and MSH-2 tell which separators a message uses (HL7 v2.5.1 §2.5.4), parseString heeds them, and serializeJSON of what was read gives the
#   message again.
# Seen: the reader takes the five characters from the header, the writer has its own constants: the header still says @~\&, the fields have ^. Read
#   again by the same package, "ORU^R01" is one component, and so is each name and each code. With the usual separators nothing is seen.
# Source: lib/serializer.js, COMPONENT and its neighbours; lib/parser.js sets variables of the same names from the header.
# Output seen: ""MSH|^~\\&|LAB|A|||20260101||ORU^R01|2|P|2.5\rPID|1||88^^^X&Y": type [["ORU","R01"]], written "MSH|^~\\&|LAB|A|||20260101||ORU^R01|2|P|2.5\rPID|1||88^^^X&Y", type then [["ORU","R01"]]", ""MSH|@~\\&|LAB|A|||20260101||ORU@R01|2|P|2.5\rPID|1||88@@@X&Y": type [["ORU","R01"]], written "MSH|@~\\&|LAB|A|||20260101||ORU^R01|2|P|2.5\rPID|1||88^^^X&Y", type then [["ORU^R01"]]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts hl7@1.1.1 >/dev/null || exit 2
cat >run.cjs <<'JS'
const hl7 = require("hl7");
for (const message of ["MSH|^~\\&|LAB|A|||20260101||ORU^R01|2|P|2.5\rPID|1||88^^^X&Y", "MSH|@~\\&|LAB|A|||20260101||ORU@R01|2|P|2.5\rPID|1||88@@@X&Y"]) {
  const read = hl7.parseString(message);
  const written = hl7.serializeJSON(read);
  console.log(`${JSON.stringify(message)}: type ${JSON.stringify(read[0][9])}, written ${JSON.stringify(written)}, type then ${JSON.stringify(hl7.parseString(written)[0][9])}`);
}
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "\"MSH|^~\\\\&|LAB|A|||20260101||ORU^R01|2|P|2.5\\rPID|1||88^^^X&Y\": type [[\"ORU\",\"R01\"]], written \"MSH|^~\\\\&|LAB|A|||20260101||ORU^R01|2|P|2.5\\rPID|1||88^^^X&Y\", type then [[\"ORU\",\"R01\"]]
\"MSH|@~\\\\&|LAB|A|||20260101||ORU@R01|2|P|2.5\\rPID|1||88@@@X&Y\": type [[\"ORU\",\"R01\"]], written \"MSH|@~\\\\&|LAB|A|||20260101||ORU^R01|2|P|2.5\\rPID|1||88^^^X&Y\", type then [[\"ORU^R01\"]]" ] || { echo "changed" >&2; exit 1; }
