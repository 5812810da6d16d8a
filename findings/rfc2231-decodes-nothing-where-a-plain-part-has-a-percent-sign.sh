#!/usr/bin/env bash
# rfc2231 1.3.0 (npm): one part without a star and with a percent sign leaves the whole value undecoded, its character set in front.
#
# Guess: of a value in parts only those with a star behind their number are percent-encoded; a part without it is literal (RFC 2231 §4.1, whose example
#   mixes both), so that a per cent sign in it is one.
# Seen: the parts are joined and decoded as one. "100% fun" in a literal part makes the octets malformed, and the caller gets utf-8''caf%C3%A9 as the
#   value; "50%25" in a literal part becomes "50%". With iso-8859-1 the same holds for two hexadecimal digits behind the sign.
# Source: lib/rfc2231.js, unfoldAndDecodeParameters (the star, third group of the expression, is never looked at), decodeUnfoldedParameter.
# Output seen: "café all fun", "utf-8''caf%C3%A9%20100% fun", "café 50% fun"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts rfc2231@1.3.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { unfoldAndDecodeParameters } = require("rfc2231");
for (const last of ["all fun", "100% fun", "50%25 fun"]) {
    console.log(unfoldAndDecodeParameters({ "title*0*": "utf-8''caf%C3%A9%20", "title*1": `"${last}"` }).title);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "café all fun
utf-8''caf%C3%A9%20100% fun
café 50% fun" ] || { echo "changed" >&2; exit 1; }
