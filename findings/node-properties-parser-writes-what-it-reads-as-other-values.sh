#!/usr/bin/env bash
# node-properties-parser 0.0.2 (npm): its editor puts "C:\new\trace" so that it is read as "C:", a line end, "ew", a tab and "race".
#
# Guess: put escapes what the format needs (java.util.Properties.store: \\ for \, a backslash in front of blanks, : and = in names and of a leading
#   blank of a value), since the reader of the same package undoes just these escapes.
# Seen: names and values are written as they are. A backslash vanishes or becomes a control character, a value with two lines becomes a second entry, a
#   name with a blank or a colon is cut there, and a leading blank is lost: none of five values comes back.
# Source: index.js, Editor.put: the text is "\n" + key + "=" + val.
# Output seen: "path: put "C:\\new\\trace", read "C:\new\trace"", "text: put " one blank", read "one blank"", "lines: put "one\ntwo=2", read "one"", "log path: put "x", read undefined", "k:v: put "y", read undefined", "plain: put "z", read "z"", "names: a, path, text, lines, two, log, k, plain"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts node-properties-parser@0.0.2 >/dev/null || exit 2
cat >run.cjs <<'JS'
const fs = require("fs");
const properties = require("node-properties-parser");
fs.writeFileSync("a.properties", "a=1\n");
const wanted = { path: "C:\\new\\trace", text: " one blank", lines: "one\ntwo=2", "log path": "x", "k:v": "y", plain: "z" };
properties.createEditor("a.properties", (error, editor) => {
  if (error) throw error;
  for (const [name, value] of Object.entries(wanted)) editor.put(name, value);
  const got = properties.parse(editor.toString());
  for (const [name, value] of Object.entries(wanted)) console.log(`${name}: put ${JSON.stringify(value)}, read ${JSON.stringify(got[name])}`);
  console.log(`names: ${Object.keys(got).join(", ")}`);
});
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "path: put \"C:\\\\new\\\\trace\", read \"C:\\new\\trace\"
text: put \" one blank\", read \"one blank\"
lines: put \"one\\ntwo=2\", read \"one\"
log path: put \"x\", read undefined
k:v: put \"y\", read undefined
plain: put \"z\", read \"z\"
names: a, path, text, lines, two, log, k, plain" ] || { echo "changed" >&2; exit 1; }
