#!/usr/bin/env bash
# zone-file 1.0.0 and @fungible-systems/zone-file 2.0.0 (npm): a TXT record "v=DKIM1; k=rsa; p=..." is read as v=DKIM1, and parentheses in quotes are blanks.
#
# Guess: a semicolon begins a comment, and parentheses join lines, outside of quotes only (RFC 1035 §5.1); in a quoted text they are signs as others.
#   Nearly each DKIM and DMARC record has some.
# Seen: the comment is cut from the line before the text is looked at, and parentheses are replaced in the whole file. The key is gone; a zone that is
#   read and written again has records that no mail server takes. The targets of URI records are cut in the same way.
# Source: lib/parseZoneFile.js, removeComments and flatten, before parseRRs.
# Output seen: "zone-file: <v=spf1 -all> <v=DKIM1> <call  office  now> sip:a@example.com", "@fungible-systems/zone-file: <v=spf1 -all> <v=DKIM1> <call  office  now> sip:a@example.com"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts zone-file@1.0.0 @fungible-systems/zone-file@2.0.0 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const zone = `$ORIGIN example.com.
@ IN TXT "v=spf1 -all"
k._domainkey IN TXT "v=DKIM1; k=rsa; p=MIGf"
@ IN TXT "call (office) now"
_sip IN URI 10 1 "sip:a@example.com;transport=sctp"
`;
for (const name of ["zone-file", "@fungible-systems/zone-file"]) {
  const read = require(name).parseZoneFile(zone);
  console.log(`${name}: ${read.txt.map((record) => `<${record.txt}>`).join(" ")} ${read.uri[0].target}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "zone-file: <v=spf1 -all> <v=DKIM1> <call  office  now> sip:a@example.com
@fungible-systems/zone-file: <v=spf1 -all> <v=DKIM1> <call  office  now> sip:a@example.com" ] || { echo "changed" >&2; exit 1; }
