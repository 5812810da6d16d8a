#!/usr/bin/env bash
# tle.js 5.0.3 (npm): two sets in arrays that differ in their second lines alone have the elements of the first.
#
# Guess: getInclination and the others read the set that they are given; inclination, eccentricity and mean motion stand on line 2 alone.
# Seen: an array is looked up in a cache by its line 1, so that the second array of the same line 1 gets the line 2 of the first: made-up constellations
#   with one epoch and one number, and trials that vary one element, all have one orbit. The same sets as texts are read rightly, since there the whole
#   text is the key.
# Source: src/parsing.js, getTLECacheKey. clearTLEParseCache helps.
# Output seen: "array: 53 0.0001", "array: 53 0.0001", "text: 53 0.0001", "text: 97.6 0.0012"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts tle.js@5.0.3 >/dev/null || exit 2
cat >run.mjs <<'JS'
import { getEccentricity, getInclination, clearTLEParseCache } from "tle.js";
const first = "1 99999U 26001A   26001.50000000  .00000000  00000-0  00000-0 0  9998";
const seconds = ["2 99999  53.0000  10.0000 0001000  90.0000 270.0000 15.05000000    17", "2 99999  97.6000 200.0000 0012000  90.0000 270.0000 15.20000000    11"];
for (const second of seconds) console.log(`array: ${getInclination([first, second])} ${getEccentricity([first, second])}`);
clearTLEParseCache();
for (const second of seconds) console.log(`text: ${getInclination(`${first}\n${second}`)} ${getEccentricity(`${first}\n${second}`)}`);
JS
seen=$(node run.mjs)
echo "$seen"
[ "$seen" = "array: 53 0.0001
array: 53 0.0001
text: 53 0.0001
text: 97.6 0.0012" ] || { echo "changed" >&2; exit 1; }
