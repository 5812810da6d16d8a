#!/usr/bin/env bash
# @plussub/srt-vtt-parser 2.0.5 (npm): cues named "footnote 1", "Lifestyle" or "Region North" are dropped.
#
# Guess: a block is a comment, a style sheet or a region if its first line is NOTE, STYLE or REGION in capitals (WebVTT §4.1, §6.1); names of cues are
#   free text.
# Seen: it is enough that the first line of a block has one of these words in it, in any case of letters. The cue and its text are not in the result,
#   and nothing is said of it. In SRT, where names are numbers, nothing is lost.
# Source: dist/index.js, ID_OR_NOTE_OR_STYLE_OR_REGION (toUpperCase().includes("NOTE")).
# Output seen: "intro, end"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts @plussub/srt-vtt-parser@2.0.5 >/dev/null || exit 2
cat >run.mjs <<'JS'
import { parse } from "@plussub/srt-vtt-parser";
const names = ["intro", "footnote 1", "Lifestyle", "Region North", "end"];
const file = ["WEBVTT", ...names.map((name, index) => `${name}\n00:0${index}.000 --> 00:0${index}.500\ntext`)].join("\n\n");
console.log(parse(file).entries.map(({ id }) => id).join(", "));
JS
seen=$(nice -n 15 node --no-deprecation run.mjs) || exit 2
echo "$seen"
[ "$seen" = "intro, end" ] || { echo "changed" >&2; exit 1; }
