#!/usr/bin/env bash
# rfc2231 1.3.0 (npm): an encoded value with a bracket, a comma or a colon in it is put between quotation marks.
#
# Guess: an extended parameter (name*) is charset'language'octets without quotation marks; what is not allowed in it, as brackets and commas, is written
#   as %28 (RFC 2231 §7: attribute-char excludes "*", "'", "%" and tspecials).
# Seen: only blanks, control characters and letters outside ASCII are percent-encoded. Brackets, commas, colons and slashes stay, and the whole value
#   gets quotation marks for them. A reader that keeps to the grammar takes the quotation mark for part of the name of the character set. Without a
#   blank or an accent the same name is right: a plain quoted string.
# Source: lib/rfc2231.js, unsafeParameterValueRegExp (tspecials are named in the comment above it, but not in it), quoteParameterIfNecessary.
# Output seen: "filename="plan(2).pdf"", "filename*=iso-8859-1''plan%202.pdf", "filename*="iso-8859-1''plan%20(2).pdf"", "filename*="iso-8859-1''Plan%20f%FCr%209:30,%20Raum%204.pdf""
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts rfc2231@1.3.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { encodeAndFoldParameters } = require("rfc2231");
for (const filename of ["plan(2).pdf", "plan 2.pdf", "plan (2).pdf", "Plan für 9:30, Raum 4.pdf"]) {
    for (const [name, value] of Object.entries(encodeAndFoldParameters({ filename }))) console.log(`${name}=${value}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = 'filename="plan(2).pdf"
filename*=iso-8859-1'\'''\''plan%202.pdf
filename*="iso-8859-1'\'''\''plan%20(2).pdf"
filename*="iso-8859-1'\'''\''Plan%20f%FCr%209:30,%20Raum%204.pdf"' ] || { echo "changed" >&2; exit 1; }
