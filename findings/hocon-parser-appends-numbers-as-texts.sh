#!/usr/bin/env bash
# @pushcorn/hocon-parser 1.3.1 (npm): what `+=` appends to a list is a text, while the list has numbers.
#
# Guess: `ports += 2907` is short for `ports = ${?ports} [2907]` (HOCON.md, "The += field separator"), and gives the same list: three numbers.
# Seen: the long form gives [2905, 2906, 2907], the short one [2905, 2906, "2907"]; true, false and null become texts, too, and an off-switch
#   that is appended is on, since "false" is a text. In strict mode it is the same. A list of ports, streams or delays
#   that one file begins and another goes on has both kinds, so that a search for 2907 finds nothing, and sums are joined: 60 + "5".
# Source: lib/nodes/ValueNode.js: a single part behind `+=` (SracNode) is kept as the text that was read, and never given to parseData.
# Output seen: 'long: [2905,2906,2907]', 'short: [2905,2906,"2907"]', 'off: [true,"false"] counts as on', 'strict: [2905,2906,"2907"]'
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @pushcorn/hocon-parser@1.3.1 >/dev/null || exit 2
cat >run.js <<'JS'
const parse = require("@pushcorn/hocon-parser");
(async () => {
  const list = "ports = [2905, 2906]\n";
  console.log("long:", JSON.stringify((await parse({ text: list + "ports = ${?ports} [2907]" })).ports));
  console.log("short:", JSON.stringify((await parse({ text: list + "ports += 2907" })).ports));
  const { paths } = await parse({ text: "paths = [true]\npaths += false" });
  console.log("off:", JSON.stringify(paths), `counts as ${paths[1] ? "on" : "off"}`);
  console.log("strict:", JSON.stringify((await parse({ text: list + "ports += 2907", strict: true })).ports));
})();
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'long: [2905,2906,2907]
short: [2905,2906,"2907"]
off: [true,"false"] counts as on
strict: [2905,2906,"2907"]' ] || { echo "changed" >&2; exit 1; }
