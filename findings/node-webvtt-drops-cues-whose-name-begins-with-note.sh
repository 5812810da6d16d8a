#!/usr/bin/env bash
# node-webvtt 2.0.0 (npm): a cue named "NOTE-2" or "NOTES" is dropped without a word.
#
# Guess: a comment begins with NOTE and a blank, a tab or the end of the line (WebVTT §4.1, "WebVTT comment block"); other first lines without an arrow
#   are the names of cues.
# Seen: each block whose first line begins with these four letters is a comment. In strict mode, which throws for what it does not know, the file is
#   valid and has a cue less.
# Source: lib/parser.js, parseCue (startsWith('NOTE')).
# Output seen: "valid true: 3 three"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts node-webvtt@2.0.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { parse } = require("node-webvtt");
const file = ["WEBVTT", ...["NOTE\nfor the translator", "NOTES\n00:01.000 --> 00:02.000\none", "NOTE-2\n00:02.000 --> 00:03.000\ntwo", "3\n00:03.000 --> 00:04.000\nthree"]].join("\n\n");
const { cues, valid } = parse(file, { strict: true });
console.log(`valid ${valid}: ${cues.map(({ identifier, text }) => `${identifier} ${text}`).join(", ")}`);
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "valid true: 3 three" ] || { echo "changed" >&2; exit 1; }
