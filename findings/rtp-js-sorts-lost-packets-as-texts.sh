#!/usr/bin/env bash
# rtp.js 0.15.5 (npm): a request for the packets 9 and 10 again is refused as too far apart, one for 10 and 11 is written.
#
# Guess: createNackItem() packs up to 17 sequence numbers into one item, the first of them and a mask (RFC 4585 §6.2.1); the numbers are those of
#   RTP, so that 65535 is followed by 0, for which the function's own difference modulo 65536 is made.
# Seen: the list is sorted by JavaScript's default, as texts, before the first is taken: "10" comes before "9", and 9 is then 65535 after 10. Each
#   loss across 9|10, 99|100, 999|1000 and 9999|10000 fails, and so does one across the wrap; other losses, which all short tests
#   have, are right. The reader does not wrap either: 65535 and the one behind it are 65535 and 65536.
# Source: lib/packets/RTCP/NackPacket.js, createNackItem (sort()) and parseNackItem.
# Output seen: "10 11: 10 and 11", "9 10: cannot ...", "998 999: 998 and 999", "999 1000: cannot ...", "65535 0: cannot ...", "read: 65535,65536"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund rtp.js@0.15.5 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { createNackItem, parseNackItem } = require("rtp.js").packets;
for (const lost of [[10, 11], [9, 10], [998, 999], [999, 1000], [65535, 0]]) {
  try {
    const { pid, bitmask } = createNackItem(lost);
    console.log(`${lost.join(" ")}: ${parseNackItem(pid, bitmask).join(" and ")}`);
  } catch (error) {
    console.log(`${lost.join(" ")}: ${error.message.split(" ")[0]}`);
  }
}
console.log(`read: ${parseNackItem(65535, 1)}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "10 11: 10 and 11
9 10: cannot
998 999: 998 and 999
999 1000: cannot
65535 0: cannot
read: 65535,65536" ] || { echo "changed" >&2; exit 1; }
