#!/usr/bin/env bash
# parse-hls 1.0.7 (npm): "#EXTINF:9.009,Title, with comma" has the title "Title".
#
# Guess: behind the duration and its comma the title is the rest of the line (RFC 8216 §4.3.2.1: "the remainder of the line following the comma"), with
#   whatever it contains.
# Seen: the line is split at each comma and the second part taken, so that titles as "Artist, The - Song" end at the comma. The line itself is kept in
#   content.
# Source: dist/index.js, tag === "inf": the title is matched[1].
# Output seen: "#EXTINF:9.009,Title: {"duration":9.009,"title":"Title"}", "#EXTINF:9.009,Title, with comma: {"duration":9.009,"title":"Title"}", "#EXTINF:9.009,: {"duration":9.009}"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts parse-hls@1.0.7 >/dev/null || exit 2
cat >run.cjs <<'JS'
const { default: HLS } = require("parse-hls");
const manifest = HLS.parse("#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9.009,Title\na.ts\n#EXTINF:9.009,Title, with comma\nb.ts\n#EXTINF:9.009,\nc.ts\n#EXT-X-ENDLIST\n");
for (const line of manifest.lines.filter((line) => line.name === "inf")) console.log(`${line.content}: ${JSON.stringify(line.attributes)}`);
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "#EXTINF:9.009,Title: {\"duration\":9.009,\"title\":\"Title\"}
#EXTINF:9.009,Title, with comma: {\"duration\":9.009,\"title\":\"Title\"}
#EXTINF:9.009,: {\"duration\":9.009}" ] || { echo "changed" >&2; exit 1; }
