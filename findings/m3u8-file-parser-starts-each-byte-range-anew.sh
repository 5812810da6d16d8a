#!/usr/bin/env bash
# m3u8-file-parser 0.2.4 (npm): a byte range without an offset begins at 0 instead of behind the one before.
#
# Guess: "EXT-X-BYTERANGE:50" begins at the next byte behind the sub-range of the segment before (RFC 8216 §4.3.2.2, against which the parser is built),
#   here 100: a parser that fills in an offset fills in that, or leaves it out.
# Seen: the offset is 0 for each range that does not say one, and does not differ from a range that says 0: the second and third segment are read from
#   the beginning of the file, which is the first.
# Source: src/parser/ext-x-byterange.js: offset: 0.
# Output seen: "a.ts {"length":100,"offset":0}", "a.ts {"length":50,"offset":0}", "a.ts {"length":70,"offset":0}"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts m3u8-file-parser@0.2.4 >/dev/null || exit 2
cat >run.cjs <<'JS'
const Parser = require("m3u8-file-parser");
const read = (text) => {
  const parser = new Parser();
  parser.read(text);
  return parser.getResult().segments;
};
const media = "#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:10\n#EXTINF:9,\n#EXT-X-BYTERANGE:100@0\na.ts\n#EXTINF:9,\n#EXT-X-BYTERANGE:50\na.ts\n#EXTINF:9,\n#EXT-X-BYTERANGE:70\na.ts\n#EXT-X-ENDLIST\n";
for (const segment of read(media)) console.log(segment.url, JSON.stringify(segment.byteRange));
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "a.ts {\"length\":100,\"offset\":0}
a.ts {\"length\":50,\"offset\":0}
a.ts {\"length\":70,\"offset\":0}" ] || { echo "changed" >&2; exit 1; }
