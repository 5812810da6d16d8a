#!/usr/bin/env bash
# @redoxengine/redox-hl7-v2 1.0.1 (npm): a text C:\T\log that it wrote as C:\E\T\E\log is read as C:\E&E\log.
#
# Guess: escapes are read from left to right: \E\ is a backslash, T a letter, \E\ a backslash (HL7 v2.5.1 §2.7.1); the generator's are read back by the
#   parser of the same package.
# Seen: each kind of escape is replaced in the whole text by itself, the separators first and the backslash last, "so that we don't get any false
#   positives": the end of one \E\, a letter F, S, T or R, and the beginning of the next are taken for an escape. Paths with a folder of such a letter,
#   and texts about HL7 itself, come back as others, with a separator in them.
# Source: lib/escape.js, unEscapeString.
# Output seen: "below 2 | above 5: written below 2 \F\ above 5, read below 2 | above 5", "C:\log: written C:\E\log, read C:\log", "C:\T\log: written C:\E\T\E\log, read C:\E&E\log", "write \F\ for |: written write \E\F\E\ for \F\, read write \E|E\ for |"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @redoxengine/redox-hl7-v2@1.0.1 >/dev/null || exit 2
cat >run.cjs <<'JS'
const { Generator, Parser } = require("@redoxengine/redox-hl7-v2");
for (const text of ["below 2 | above 5", "C:\\log", "C:\\T\\log", "write \\F\\ for |"]) {
  const message = new Parser().parse("MSH|^~\\&|LAB|A|B|C|20260101||ORU^R01|1|P|2.3\rPID|1||77\rOBR|1||2|883-9\rOBX|1|ST|883-9||x||||||F\r");
  const find = (node) => (node && typeof node === "object" ? (node.OBX ? node.OBX : Object.values(node).map(find).find(Boolean)) : undefined);
  const result = (found) => (Array.isArray(found) ? found[0] : found);
  result(find(message))["5"] = [text];
  const written = new Generator().write(message);
  const field = written.split("\r").find((line) => line.startsWith("OBX")).split("|")[5];
  console.log(`${text}: written ${field}, read ${result(find(new Parser().parse(written)))["5"][0]}`);
}
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "below 2 | above 5: written below 2 \\F\\ above 5, read below 2 | above 5
C:\\log: written C:\\E\\log, read C:\\log
C:\\T\\log: written C:\\E\\T\\E\\log, read C:\\E&E\\log
write \\F\\ for |: written write \\E\\F\\E\\ for \\F\\, read write \\E|E\\ for |" ] || { echo "changed" >&2; exit 1; }
