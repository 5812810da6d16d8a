#!/usr/bin/env bash
# simple-ini 1.0.4 (npm): "  max = 7" is the name "  ma" with the value " = 7".
#
# Guess: the name is what stands in front of the = and the value what stands behind it, with or without the blanks that people indent with;
#   ignoreWhitespace, which is about values, aside.
# Seen: the place of the = is looked for in the line without its blanks, name and value are cut from the line with them. One blank of indent moves the
#   cut by one letter, and "\tmin=3" is "\tmi" with "=3". The line is not refused; get("assoc.max") is null.
# Source: lib/simple-ini.js: line.indexOf(delimiter) beside baseLine.substr.
# Output seen: "{"assoc":{"rto":"5","\tmi":"=3","  ma":" = 7"}}, assoc.min: null", "{"assoc":{"rto":"5","\tmi":"=3","  ma":"= 7"}}, assoc.min: null"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts simple-ini@1.0.4 >/dev/null || exit 2
cat >run.cjs <<'JS'
const SimpleIni = require("simple-ini");
for (const ignoreWhitespace of [false, true]) {
  const ini = new SimpleIni(() => "[assoc]\nrto=5\n\tmin=3\n  max = 7\n", { ignoreWhitespace });
  console.log(`${JSON.stringify(ini)}, assoc.min: ${ini.get("assoc.min")}`);
}
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "{\"assoc\":{\"rto\":\"5\",\"\\tmi\":\"=3\",\"  ma\":\" = 7\"}}, assoc.min: null
{\"assoc\":{\"rto\":\"5\",\"\\tmi\":\"=3\",\"  ma\":\"= 7\"}}, assoc.min: null" ] || { echo "changed" >&2; exit 1; }
