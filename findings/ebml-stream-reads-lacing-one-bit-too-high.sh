#!/usr/bin/env bash
# ebml-stream 1.0.3 (npm): of Matroska's laced blocks none is read as what it is, and an invisible block is called laced.
#
# Guess: the flags of a block are as in RFC 9559, §10.1 and §10.2: 0x08 invisible, and 0x06 the lacing: 0x02 Xiph's, 0x04 of fixed size, 0x06 EBML's.
# Seen: both are looked for one bit higher, at 0x10 and 0x0C. Xiph's lacing is None, fixed size and EBML's are Xiph's, and an invisible block without lacing is
#   laced as EBML and visible; who takes the frames apart by that takes frame data for sizes. Blocks that it writes are wrong in the same way,
#   so that it reads them as meant.
# Source: lib/models/tags/Block.js, parseContent, writeFlagsBuffer; enum BlockLacing (None, Xiph, EBML, FixedSize). ebml-block 1.1.2 (npm) has the bits of the RFC.
# Output seen: "Xiph (02): None, invisible false", "fixed size (04): Xiph (...)", "EBML (06): Xiph (...)", "invisible (08): EBML, invisible false"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ebml-stream@1.0.3 >/dev/null || exit 2
cat >run.js <<'JS'
const { BlockLacing, EbmlStreamDecoder, EbmlTagId } = require("ebml-stream");
const names = { [BlockLacing.None]: "None", [BlockLacing.Xiph]: "Xiph", [BlockLacing.EBML]: "EBML", [BlockLacing.FixedSize]: "FixedSize" };
for (const [name, flags] of [["no lacing", 0x00], ["Xiph", 0x02], ["fixed size", 0x04], ["EBML", 0x06], ["invisible", 0x08]]) {
  const content = Buffer.from([0x81, 0x00, 0x00, flags, 0x01, 0x02, 0xaa, 0xbb, 0xcc, 0xdd]);
  const decoder = new EbmlStreamDecoder({ bufferTagIds: [] });
  decoder.on("data", (tag) => {
    if (tag.id === EbmlTagId.SimpleBlock) {
      console.log(`${name} (${flags.toString(16).padStart(2, "0")}): ${names[tag.lacing]}, invisible ${tag.invisible}`);
    }
  });
  decoder.write(Buffer.concat([Buffer.from([0xa3, 0x80 | content.length]), content]));
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "no lacing (00): None, invisible false
Xiph (02): None, invisible false
fixed size (04): Xiph, invisible false
EBML (06): Xiph, invisible false
invisible (08): EBML, invisible false" ] || { echo "changed" >&2; exit 1; }
