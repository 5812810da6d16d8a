#!/usr/bin/env bash
# node-webvtt 2.0.0 (npm): a style sheet, three empty lines or a tab beside the arrow make a file invalid.
#
# Guess: before the first cue may be blocks STYLE and REGION; blocks are parted by two or more line ends; around the arrow are blanks or tabs, one or
#   more (WebVTT §4.1, §4.2). Four line ends are as good as two.
# Seen: STYLE and REGION are "Cue identifier needs to be followed by timestamp"; of four line ends the middle makes an empty cue with an "Invalid cue
#   timestamp", while three are skipped; a tab is an invalid timestamp. In strict mode nothing of the file is read.
# Source: lib/parser.js, parse (split at two line ends), parseCue (split(' --> ')).
# Output seen: "plain: 1 cue", "style: Cue identifier needs to be followed by timestamp (cue #0)", "region: Cue identifier needs to be followed by timestamp (cue #0)", "two empty lines: 1 cue", "three empty lines: Invalid cue timestamp (cue #0)", "tabs: Invalid cue timestamp (cue #0)"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts node-webvtt@2.0.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { parse } = require("node-webvtt");
const cue = "00:01.000 --> 00:02.000\none";
const files = {
    plain: `WEBVTT\n\n${cue}`,
    style: `WEBVTT\n\nSTYLE\n::cue { color: lime }\n\n${cue}`,
    region: `WEBVTT\n\nREGION\nid:fred\nwidth:40%\n\n${cue}`,
    "two empty lines": `WEBVTT\n\n\n${cue}`,
    "three empty lines": `WEBVTT\n\n\n\n${cue}`,
    tabs: `WEBVTT\n\n${cue.replaceAll(" --", "\t--").replaceAll("> ", ">\t")}`,
};
for (const [name, file] of Object.entries(files)) {
    let seen;
    try {
        seen = `${parse(file).cues.length} cue`;
    } catch (error) {
        seen = error.message;
    }
    console.log(`${name}: ${seen}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "plain: 1 cue
style: Cue identifier needs to be followed by timestamp (cue #0)
region: Cue identifier needs to be followed by timestamp (cue #0)
two empty lines: 1 cue
three empty lines: Invalid cue timestamp (cue #0)
tabs: Invalid cue timestamp (cue #0)" ] || { echo "changed" >&2; exit 1; }
