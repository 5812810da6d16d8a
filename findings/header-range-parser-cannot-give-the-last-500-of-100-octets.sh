#!/usr/bin/env bash
# header-range-parser 2.0.0 (npm): the last 500 octets of a file of 100 are unsatisfiable.
#
# Guess: if the file is shorter than the suffix asked for, all of it is given (RFC 9110 §14.1.2), with 206 or 200: a player asks for the last 64 KiB of
#   any file, to find its index.
# Seen: -1, the code for 416. A first position within the file with an end beyond it is cut to the end, as it should be. bytes=-100 is right, bytes=-101
#   is not.
# Source: dist, the function that reads the ranges: start = size - suffix, and start < 0 is skipped.
# Output seen: "bytes=50-500 of 100: [{"end":99,"start":50}]", "bytes=-100 of 100: [{"end":99,"start":0}]", "bytes=-101 of 100: -1", "bytes=-500 of 100: -1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts header-range-parser@2.0.0 >/dev/null || exit 2
cat >run.mjs <<'JS'
import { parseRange } from "header-range-parser";
for (const field of ["bytes=50-500", "bytes=-100", "bytes=-101", "bytes=-500"]) {
    console.log(`${field} of 100: ${JSON.stringify(parseRange(100, field))}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.mjs) || exit 2
echo "$seen"
[ "$seen" = 'bytes=50-500 of 100: [{"end":99,"start":50}]
bytes=-100 of 100: [{"end":99,"start":0}]
bytes=-101 of 100: -1
bytes=-500 of 100: -1' ] || { echo "changed" >&2; exit 1; }
