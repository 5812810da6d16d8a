#!/usr/bin/env bash
# cidr-js 2.3.1 (npm): four addresses in a row are a block of three and a single one, and 100.64.0.1 parts 10.6.102.102 from 10.6.102.103.
#
# Guess: filter groups "IPs where all 32 bits are contiguous" and getBlocks names their networks: 192.0.2.0 to 192.0.2.3 are one group, 192.0.2.0/30.
# Seen: the last address of the list is compared with itself instead of the one before it, so that it is always a group of its own; the example of the
#   README ends with an address that is alone. The numbers of the addresses are also sorted as texts, so that 100.64.0.1 (1681915905) comes between
#   10.6.102.102 (168191590) and 10.6.102.103 (168191591).
# Source: src/index.js, filter: previous = current in each round; convertAndSort: ips.sort() without a comparison.
# Output seen: "192.0.2.0-3: [["192.0.2.0","192.0.2.1","192.0.2.2"],["192.0.2.3"]] 192.0.2.0/31,192.0.2.2/32,192.0.2.3", "192.0.2.0-3 and 192.0.2.9: [["192.0.2.0","192.0.2.1","192.0.2.2","192.0.2.3"],["192.0.2.9"]] 192.0.2.0/30,192.0.2.9", "10.6.102.102-103 and 203.0.113.9: [["10.6.102.102","10.6.102.103"],["203.0.113.9"]] 10.6.102.102/31,203.0.113.9", "the same and 100.64.0.1: [["10.6.102.102"],["100.64.0.1"],["10.6.102.103"],["203.0.113.9"]] 10.6.102.102,100.64.0.1,10.6.102.103,203.0.113.9"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts cidr-js@2.3.1 >/dev/null || exit 2
cat >run.cjs <<'JS'
const CIDR = require("cidr-js");
const row = (a, b, c, d, n) => Array.from({ length: n }, (_, i) => `${a}.${b}.${c}.${d + i}`);
const lists = { "192.0.2.0-3": row(192, 0, 2, 0, 4), "192.0.2.0-3 and 192.0.2.9": [...row(192, 0, 2, 0, 4), "192.0.2.9"],
  "10.6.102.102-103 and 203.0.113.9": [...row(10, 6, 102, 102, 2), "203.0.113.9"],
  "the same and 100.64.0.1": [...row(10, 6, 102, 102, 2), "100.64.0.1", "203.0.113.9"] };
for (const [name, list] of Object.entries(lists)) {
  console.log(`${name}: ${JSON.stringify(Object.values(new CIDR().filter([...list])))} ${new CIDR().getBlocks([...list])}`);
}
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "192.0.2.0-3: [[\"192.0.2.0\",\"192.0.2.1\",\"192.0.2.2\"],[\"192.0.2.3\"]] 192.0.2.0/31,192.0.2.2/32,192.0.2.3
192.0.2.0-3 and 192.0.2.9: [[\"192.0.2.0\",\"192.0.2.1\",\"192.0.2.2\",\"192.0.2.3\"],[\"192.0.2.9\"]] 192.0.2.0/30,192.0.2.9
10.6.102.102-103 and 203.0.113.9: [[\"10.6.102.102\",\"10.6.102.103\"],[\"203.0.113.9\"]] 10.6.102.102/31,203.0.113.9
the same and 100.64.0.1: [[\"10.6.102.102\"],[\"100.64.0.1\"],[\"10.6.102.103\"],[\"203.0.113.9\"]] 10.6.102.102,100.64.0.1,10.6.102.103,203.0.113.9" ] || { echo "changed" >&2; exit 1; }
