#!/usr/bin/env bash
# hl7-standard 1.0.4 (npm): a message that nobody changed is written with other delimiters than it was read with.
#
# Guess: build() of an unchanged message is the message: in HL7 "&" parts the subcomponents of one component and "~" the repetitions of a field (HL7 v2.5.1, §2.5.4).
# Seen: a field of two subcomponents, without "^", becomes a list and is joined with "~": one value of two parts becomes two values. With "^" in the field it
#   is right.
# Source: src/api.js, _transformSegment (the last branch, split(repeatingFields) for "&"), _buildSegment (a list of texts is joined with subComponents, "~").
# Output seen: "read:    OBX|1|ST|CODE&SUB|1|A~B|x^y&z|F", "written: OBX|1|ST|CODE~SUB|1|A~B|x^y&z|F|"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund hl7-standard@1.0.4 >/dev/null || exit 2
cat >run.js <<'JS'
const HL7 = require("hl7-standard");
const text = "MSH|^~\\&|A|B|C|D|20260102||ORU^R01|1|P|2.5.1\rOBX|1|ST|CODE&SUB|1|A~B|x^y&z|F\r";
const message = new HL7(text);
message.transform((error) => { if (error) throw error; });
const written = message.build();
console.log(`read:    ${text.split("\r")[1]}`);
console.log(`written: ${written.split(/[\r\n]+/)[1]}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'read:    OBX|1|ST|CODE&SUB|1|A~B|x^y&z|F
written: OBX|1|ST|CODE~SUB|1|A~B|x^y&z|F|' ] || { echo "changed" >&2; exit 1; }
