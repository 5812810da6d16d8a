#!/usr/bin/env bash
# tiny-hl7 1.0.7 (npm): a | in a text becomes a new field if any field in front of it had components.
#
# Guess: what parse turned from \F\, \S\ and \T\ into |, ^ and & is escaped again by serialize (HL7 v2.5.1 §2.7), as it is in the first message below.
# Seen: once a field with components has been written, the fields behind it in the segment are written without escapes. OBX-5 "below 2 | above 5"
#   becomes "below 2 " in OBX-5 and " above 5" in OBX-6, the units. OBX-3 has components in nearly each result, so that this is the usual case.
#   The README calls the package incomplete, but it has escapes, and writes them or not by what stands in front.
# Source: dist/hl7.js, serializeSegment: entryHasChildren is declared outside of the loop and never set back.
# Output seen: "883-9: read ["below 2 | above 5","mg"], written and read ["below 2 | above 5","mg"]", "883-9^ABO^LN: read ["below 2 | above 5","mg"], written and read ["below 2 "," above 5"]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts tiny-hl7@1.0.7 >/dev/null || exit 2
cat >run.cjs <<'JS'
const hl7 = require("tiny-hl7");
for (const code of ["883-9", "883-9^ABO^LN"]) {
  const message = `MSH|^~\\&|LAB\rOBX|1|TX|${code}||below 2 \\F\\ above 5|mg`;
  const read = hl7.parse(message);
  const again = hl7.parse(hl7.serialize(read));
  console.log(`${code}: read ${JSON.stringify([read[1]["OBX.5"], read[1]["OBX.6"]])}, written and read ${JSON.stringify([again[1]["OBX.5"], again[1]["OBX.6"]])}`);
}
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "883-9: read [\"below 2 | above 5\",\"mg\"], written and read [\"below 2 | above 5\",\"mg\"]
883-9^ABO^LN: read [\"below 2 | above 5\",\"mg\"], written and read [\"below 2 \",\" above 5\"]" ] || { echo "changed" >&2; exit 1; }
