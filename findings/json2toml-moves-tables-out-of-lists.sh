#!/usr/bin/env bash
# json2toml 6.1.2 (npm): a table within a table of a list is written as one at the top of the file, and a key behind a list of
# tables as a key of its last table.
#
# Guess: {"path": [{"rate": 8, "queue": {"size": 50}}]} becomes [[path]] and [path.queue] (TOML 1.0, Array of Tables), so that a
#   parser gives the same object back. A table in a table is written with its parent's name, [link.queue].
# Seen: behind [[path]] stands [queue]: the path has no queue and the file has one. With one path nothing fails, a program
#   takes its defaults; with two paths the second [queue] is an error. A simple key that comes behind the list in the object
#   is written behind [[path]], where it belongs to the path, as the order of an object's keys should not matter.
# Source: index.js, visit: for the tables of a list the prefix of names begins anew, and they count as simple values.
# Output seen: 'one: {"path":[{"rate":8}],"queue":{"size":50}}', "two: error", 'key: {"path":[{"rate":8,"seed":7}]}',
#   'plain: {"link":{"queue":{"size":50}}}'
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund json2toml@6.1.2 smol-toml@1.9.1 >/dev/null || exit 2
cat >run.js <<'JS'
const write = require("json2toml");
const { parse } = require("smol-toml");
const queue = { size: 50 };
for (const [name, value] of [
  ["one", { path: [{ rate: 8, queue }] }],
  ["two", { path: [{ rate: 8, queue }, { rate: 2, queue }] }],
  ["key", { path: [{ rate: 8 }], seed: 7 }],
  ["plain", { link: { queue } }],
]) {
  try {
    console.log(`${name}: ${JSON.stringify(parse(write(value)))}`);
  } catch {
    console.log(`${name}: error`);
  }
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'one: {"path":[{"rate":8}],"queue":{"size":50}}
two: error
key: {"path":[{"rate":8,"seed":7}]}
plain: {"link":{"queue":{"size":50}}}' ] || { echo "changed" >&2; exit 1; }
