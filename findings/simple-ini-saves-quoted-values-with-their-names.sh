#!/usr/bin/env bash
# simple-ini 1.0.4 (npm): with quotedValues, saving writes rto=rto="5", and each further saving one more rto=.
#
# Guess: save writes what was read, rto="5", when the option says that values are in quotes; so it does without the option and the quotes.
# Seen: the name is put in front of the value a second time. Read again, the value is the text rto="5", whose quotes no longer stand around it, and a
#   program that reads its settings and saves them at each start makes them longer each time.
# Source: lib/simple-ini.js, format: line += this.quotedValues ? line += '"' + value + '"' : value.
# Output seen: ""[assoc]\nrto=5": "5"", ""[assoc]\nrto=5": "5"", ""[assoc]\nrto=5": "5"", ""[assoc]\nrto=\"5\"": "5"", ""[assoc]\nrto=rto=\"5\"": "rto=\"5\""", ""[assoc]\nrto=rto=\"rto=\"5\"\"": "rto=\"rto=\"5\"\"""
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts simple-ini@1.0.4 >/dev/null || exit 2
cat >run.cjs <<'JS'
const SimpleIni = require("simple-ini");
for (const [text, options] of [["[assoc]\nrto=5", {}], ['[assoc]\nrto="5"', { quotedValues: true }]]) {
  let now = text;
  for (let i = 0; i < 3; i++) {
    const ini = new SimpleIni(() => now, options);
    console.log(`${JSON.stringify(now)}: ${JSON.stringify(ini.get("assoc.rto"))}`);
    ini.save((written) => (now = written));
  }
}
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "\"[assoc]\\nrto=5\": \"5\"
\"[assoc]\\nrto=5\": \"5\"
\"[assoc]\\nrto=5\": \"5\"
\"[assoc]\\nrto=\\\"5\\\"\": \"5\"
\"[assoc]\\nrto=rto=\\\"5\\\"\": \"rto=\\\"5\\\"\"
\"[assoc]\\nrto=rto=\\\"rto=\\\"5\\\"\\\"\": \"rto=\\\"rto=\\\"5\\\"\\\"\"" ] || { echo "changed" >&2; exit 1; }
