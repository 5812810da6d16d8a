#!/usr/bin/env bash
# rfc2253 0.2.0 (npm): a telephone number in a name loses its plus and its first digit.
#
# Guess: a plus is written "\+" in a name (RFC 2253 §2.4, §3: a backslash and a special character, or two hexadecimal digits), so that
#   telephoneNumber=\+49 30 is "+49 30".
# Seen: what follows the backslash is tried as a number first, and parseInt takes "+4" for 4: the value begins with the control character 4 and goes on
#   with "9 30". A blank before a digit ("\ 4") is taken so too. The letters a to f count as digits. Before a letter from g on the same plus is right.
# Source: lib/parse.js, parseInt(seq.slice(i, i + 2), 16) after a backslash.
# Output seen: "CN=a\+x: "a+x"", "telephoneNumber=\+49 30: "\u00049 30"", "its own telephoneNumber=\+49 30: "\u00049 30""
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts rfc2253@0.2.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { format, parse } = require("rfc2253");
for (const text of ["CN=a\\+x", "telephoneNumber=\\+49 30"]) {
    const [name] = text.split("=");
    console.log(`${text}: ${JSON.stringify(parse(text).get(name))}`);
}
console.log(`its own ${format({ telephoneNumber: "+49 30" })}: ${JSON.stringify(parse(format({ telephoneNumber: "+49 30" })).get("telephoneNumber"))}`);
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = 'CN=a\+x: "a+x"
telephoneNumber=\+49 30: "\u00049 30"
its own telephoneNumber=\+49 30: "\u00049 30"' ] || { echo "changed" >&2; exit 1; }
