#!/usr/bin/env bash
# node-ini 1.0.0 (npm): behind another list, a list goes on at the place of its second entry.
#
# Guess: "name[] = value" adds an entry to the list of that name, and each "[name][]" adds a section to its list, wherever the lines stand, as in
#   the files of PHP, from which "name[]" comes.
# Seen: there is one counter for all lists of a section and one for all lists of sections, which begins anew with each new name: local[] = a1, a2, then
#   remote[] = b1, then local[] = a3 gives a1 and a3. Likewise the third section [peer][] is written over the second if [other][] stands between. Lists
#   whose lines stand together are right.
# Source: node-ini.js: self.curSection.pIndex and self.curSection.index.
# Output seen: "{"assoc":{"local":["a1","a2","a3"],"remote":["b1"]}}", "{"assoc":{"local":["a1","a3"],"remote":["b1"]}}", "{"peer":[{"name":"p1"},{"name":"p3"}],"other":[{"name":"o1"}]}"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts node-ini@1.0.0 >/dev/null || exit 2
cat >run.cjs <<'JS'
const fs = require("fs");
const ini = require("node-ini");
const read = (text) => (fs.writeFileSync("file.ini", text), JSON.stringify(ini.parseSync("file.ini")));
console.log(read("[assoc]\nlocal[] = a1\nlocal[] = a2\nlocal[] = a3\nremote[] = b1\n"));
console.log(read("[assoc]\nlocal[] = a1\nlocal[] = a2\nremote[] = b1\nlocal[] = a3\n"));
console.log(read("[peer][]\nname = p1\n[peer][]\nname = p2\n[other][]\nname = o1\n[peer][]\nname = p3\n"));
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "{\"assoc\":{\"local\":[\"a1\",\"a2\",\"a3\"],\"remote\":[\"b1\"]}}
{\"assoc\":{\"local\":[\"a1\",\"a3\"],\"remote\":[\"b1\"]}}
{\"peer\":[{\"name\":\"p1\"},{\"name\":\"p3\"}],\"other\":[{\"name\":\"o1\"}]}" ] || { echo "changed" >&2; exit 1; }
