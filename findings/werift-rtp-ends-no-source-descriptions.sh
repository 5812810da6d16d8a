#!/usr/bin/env bash
# werift-rtp 0.8.9 (npm): a source description has no end if its items happen to fill whole words.
#
# Guess: the items of a chunk end with at least one null octet, and go on to the next word with more of them (RFC 3550 §6.5: "terminated by one
#   or more null octets"): a canonical name of 10 letters fills 12 octets, so that four null octets follow.
# Seen: nothing follows. With two sources in a packet, as a mixer sends them, the number of the second is read as an item of the
#   first, by the package's own reader, too: it finds one source instead of two, and an item of type 17. With names of 9 or 11 letters
#   both are there. Generated names have one length in a program, so that it fails always or never.
# Source: lib/rtp/src/rtcp/sdes.js: SourceDescriptionChunk, serialize, pads data.length, while `length` counts one octet more first.
# Output seen: "9 letters: 36 octets, sources 287453953 287453954", "10 letters: 36 octets, sources 287453953", "11 letters: 44 octets, ..."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts werift-rtp@0.8.9 >/dev/null || exit 2
cat >run.js <<'JS'
const { RtcpPacketConverter, RtcpSourceDescriptionPacket, SourceDescriptionChunk, SourceDescriptionItem } = require("werift-rtp");
for (const letters of [9, 10, 11]) {
  const text = "x".repeat(letters);
  const chunks = [0x11223301, 0x11223302].map(
    (source) => new SourceDescriptionChunk({ source, items: [new SourceDescriptionItem({ type: 1, text })] }),
  );
  const octets = new RtcpSourceDescriptionPacket({ chunks }).serialize();
  const [read] = RtcpPacketConverter.deSerialize(octets);
  console.log(`${letters} letters: ${octets.length} octets, sources ${read.chunks.map((chunk) => chunk.source).join(" ")}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "9 letters: 36 octets, sources 287453953 287453954
10 letters: 36 octets, sources 287453953
11 letters: 44 octets, sources 287453953 287453954" ] || { echo "changed" >&2; exit 1; }
