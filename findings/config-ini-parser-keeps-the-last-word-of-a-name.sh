#!/usr/bin/env bash
# config-ini-parser 1.6.1 (npm): "primary address" and "secondary address" are both "address", and the second is lost.
#
# Guess: the name of an option is all in front of the first = or :, without blanks around it, as in Python's ConfigParser, to which the README calls it
#   similar; blanks within a name are common (smb.conf).
# Seen: the pattern of an option is not tied to the beginning of the line and takes the last word in front of the sign. get("path", "primary address")
#   is not found, get("path", "address") is the first of the two, and stringify writes both under the one name, so that a file that is read and written
#   again has lost the names.
# Source: config-ini.js, _optionRegex: /\s*([^=:\s]+)\s*[=:]\s*(.*)\s*/ without ^.
# Output seen: "primary address: none", "secondary address: none", "address: 192.0.2.1", "heartbeat: 30", ""[path]\naddress=192.0.2.1\naddress=198.51.100.1\nheartbeat=30\n""
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts config-ini-parser@1.6.1 >/dev/null || exit 2
cat >run.cjs <<'JS'
const { ConfigIniParser } = require("config-ini-parser");
const parser = new ConfigIniParser();
parser.parse("[path]\nprimary address = 192.0.2.1\nsecondary address = 198.51.100.1\nheartbeat = 30");
for (const name of ["primary address", "secondary address", "address", "heartbeat"]) console.log(`${name}: ${parser.get("path", name, "none")}`);
console.log(JSON.stringify(parser.stringify()));
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "primary address: none
secondary address: none
address: 192.0.2.1
heartbeat: 30
\"[path]\\naddress=192.0.2.1\\naddress=198.51.100.1\\nheartbeat=30\\n\"" ] || { echo "changed" >&2; exit 1; }
