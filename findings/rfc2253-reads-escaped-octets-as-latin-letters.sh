#!/usr/bin/env bash
# rfc2253 0.2.0 (npm): \C4\8D is two letters, not one of two octets.
#
# Guess: a backslash and two hexadecimal digits are one octet of the UTF-8 form of the value (RFC 2253 §2.4, §4); SN=Lu\C4\8Di\C4\87 has five letters,
#   the third a c with a caron (the last example of §5).
# Seen: each octet becomes the letter of that number: seven letters, "Lu", A with dots, a control character, "i", again A with dots and another. The
#   same name written without escapes is right, so that both do not match, which a directory calls equal.
# Source: lib/parse.js, String.fromCharCode(ord).
# Output seen: "written: 4c 75 10d 69 107", "escaped: 4c 75 c4 8d 69 c4 87", "match: false"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts rfc2253@0.2.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { parse } = require("rfc2253");
const codes = (text) => [...parse(text).get("SN")].map((letter) => letter.codePointAt(0).toString(16)).join(" ");
console.log(`written: ${codes("SN=Lu\u010di\u0107")}`);
console.log(`escaped: ${codes("SN=Lu\\C4\\8Di\\C4\\87")}`);
console.log(`match: ${parse("SN=Lu\u010di\u0107").match(parse("SN=Lu\\C4\\8Di\\C4\\87"))}`);
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "written: 4c 75 10d 69 107
escaped: 4c 75 c4 8d 69 c4 87
match: false" ] || { echo "changed" >&2; exit 1; }
