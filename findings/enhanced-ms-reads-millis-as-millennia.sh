#!/usr/bin/env bash
# enhanced-ms 5.0.0 (npm): "10 millis" are ten thousand years, "10 micros" ten minutes, and ".5s" five seconds.
#
# Guess: "if no valid duration units are found, it will return null" (README): a short form that it does not know is null, as "10 us" is, and
#   a number may begin with its point, as it may in the packages that the README compares itself with; a sign counts or is an error.
# Seen: a word is taken for the unit that it begins with, or that begins with it: "milli" is a millennium, "micro" a minute. The point in front
#   of a number is left out, so that a delayed SACK of ".5s" waits ten times as long, and so is the sign. The other way, 0.5 ms
#   is "500000 nanoseconds": microseconds are never written, though the README's example has them.
# Source: dist/index.mjs: parseDuration's pattern of numbers and its search for units; resolveFormatOptions, "nanosecond", "microsecond".
# Output seen: "10 millis: 315360000000000", "10 micros: 600000", "10 us: null", ".5s: 5000", "-5s: 5000", "0.5 ms: 500000 nanoseconds"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund enhanced-ms@5.0.0 >/dev/null || exit 2
cat >run.mjs <<'JS'
import { ms } from "enhanced-ms";
for (const text of ["10 milliseconds", "10 millis", "10 micros", "10 us", "0.5s", ".5s", "-5s"]) console.log(`${text}: ${ms(text)}`);
console.log(`0.5 ms: ${ms(0.5, "fullPrecision")}`);
JS
seen=$(node run.mjs)
echo "$seen"
[ "$seen" = "10 milliseconds: 10
10 millis: 315360000000000
10 micros: 600000
10 us: null
0.5s: 500
.5s: 5000
-5s: 5000
0.5 ms: 500000 nanoseconds" ] || { echo "changed" >&2; exit 1; }
