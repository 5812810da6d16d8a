#!/usr/bin/env bash
# nodehl7 2.0.0 (npm): "below 2 \F\ above 5" is read as "below 2 ^ above 5", and a \S\ as |.
#
# Guess: \F\ is the separator of fields, |, and \S\ that of components, ^ (HL7 v2.5.1 §2.7.1, "escape sequences": F for field, S for component), as \R\, \T\
#   and \E\ are ~, & and \.
# Seen: the names of the two are taken one level too low: the separator of fields is called composite there, that of components subComposite, and F and
#   S are joined to the other. A result such as "2|3" is shown as "2^3", and a text that is split at its ^ by hand is cut where it should not be.
# Source: dist/hl7.js, parse, equivalences: 'F' with delimiters.subComposite, 'S' with delimiters.composite.
# Output seen: "2 \F\ 3: 2 ^ 3", "2 \S\ 3: 2 | 3", "2 \R\ 3: 2 ~ 3", "2 \T\ 3: 2 & 3", "2 \E\ 3: 2 \ 3"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts nodehl7@2.0.0 >/dev/null || exit 2
cat >run.cjs <<'JS'
const hl7 = require("nodehl7");
const Parser = hl7.default || hl7;
const parser = new Parser({ mapping: false });
(async () => {
  for (const text of ["2 \\F\\ 3", "2 \\S\\ 3", "2 \\R\\ 3", "2 \\T\\ 3", "2 \\E\\ 3"]) {
    const message = await parser.parse(`MSH|^~\\&|LAB|A|B|C|20260101||ORU^R01|1|P|2.3\rOBX|1|ST|883-9||${text}|`, "1");
    console.log(`${text}: ${message.getSegmentAt(1).parts[4]}`);
  }
})();
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "2 \\F\\ 3: 2 ^ 3
2 \\S\\ 3: 2 | 3
2 \\R\\ 3: 2 ~ 3
2 \\T\\ 3: 2 & 3
2 \\E\\ 3: 2 \\ 3" ] || { echo "changed" >&2; exit 1; }
