#!/usr/bin/env bash
# @plussub/srt-vtt-parser 2.0.5 (npm): a cue of one second that stands at 50 % of the width lasts two minutes.
#
# Guess: behind the end of a cue may be settings, as position:50% or align:start (WebVTT §4.4); hours may be left out (§4.1).
# Seen: the end is cut at its colons, with the settings. 00:02.000 position:50% is hour 0, minute 2, 50 ms; with align:start it is NaN, and no error is
#   raised, as NaN is a number for its check. With hours, 00:00:02.000 align:start, the first three pieces are right. The start is always right.
# Source: dist/index.js, the time of a VTT line (split(":"), two pieces or three).
# Output seen: "00:02.000: from 1000 to 2000", "00:00:02.000 position:50%: from 1000 to 2000", "00:02.000 position:50%: from 1000 to 120050", "00:02.000 align:start: from 1000 to NaN"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts @plussub/srt-vtt-parser@2.0.5 >/dev/null || exit 2
cat >run.mjs <<'JS'
import { parse } from "@plussub/srt-vtt-parser";
for (const end of ["00:02.000", "00:00:02.000 position:50%", "00:02.000 position:50%", "00:02.000 align:start"]) {
    const [{ from, to }] = parse(`WEBVTT\n\n1\n00:01.000 --> ${end}\ntext\n`).entries;
    console.log(`${end}: from ${from} to ${to}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.mjs) || exit 2
echo "$seen"
[ "$seen" = "00:02.000: from 1000 to 2000
00:00:02.000 position:50%: from 1000 to 2000
00:02.000 position:50%: from 1000 to 120050
00:02.000 align:start: from 1000 to NaN" ] || { echo "changed" >&2; exit 1; }
