#!/usr/bin/env bash
# node-netflowv9 0.2.16 (npm): a full message of NetFlow v1 has 26 flows instead of 24, two of them right, and v7 is an error.
#
# Guess: "Version 1,5,7,9 compatible": a message of n records gives n flows. A record of version 5 has 48 bytes, those of
#   versions 1 and 7 have 52 (12 for padding; 4 for the router that was bypassed), so that 24 records fill a v1 message of
#   1264 bytes.
# Seen: all three versions are read in steps of 48. Each flow behind the first begins four bytes earlier than the one before
#   it, with addresses out of paddings, ports and counters of each other. As 24 times 52 is 26 times 48, a full v1 message
#   ends evenly, and 26 flows come without an error; so do 12 records (13 flows). Any other number, and each v7 message,
#   throws a RangeError. The header's count, which is there in `header`, is not used.
# Source: js/nf1/nf1decode.js and js/nf7/nf7decode.js (buf.slice(48)). Wireshark's packet-netflow.c has V1PDU_SIZE and
#   V7PDU_SIZE as 4 * 13, V5PDU_SIZE as 4 * 12.
# Output seen: "v5, 2 records: 2 flows, 2 right", "v1, 1 record: ERR_OUT_OF_RANGE", "v1, 24 records: 26 flows, 2 right", "v7,
#   2 records: ERR_OUT_OF_RANGE"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund node-netflowv9@0.2.16 >/dev/null || exit 2
cat >run.js <<'JS'
const Collector = require("node-netflowv9");
const sizes = { 1: [16, 52], 5: [24, 48], 7: [24, 52] };
for (const [version, count] of [[5, 2], [1, 1], [1, 2], [1, 12], [1, 24], [7, 2]]) {
  const [header, size] = sizes[version];
  const message = Buffer.alloc(header + count * size);
  message.writeUInt16BE(version, 0);
  message.writeUInt16BE(count, 2);
  for (let index = 0; index < count; index++) {
    const place = header + index * size;
    Buffer.from([192, 0, 2, 1, 198, 51, 100, 1]).copy(message, place);
    message.writeUInt32BE(10, place + 16);
    message.writeUInt32BE(15000, place + 20);
    message.writeUInt8(132, place + 38);
  }
  const name = `v${version}, ${count} record${count > 1 ? "s" : ""}`;
  try {
    const { flows } = Collector.prototype[`nf${version}PktDecode`](message, { address: "192.0.2.254", port: 2055 });
    const right = flows.filter((flow) => flow.ipv4_src_addr === "192.0.2.1" && flow.ipv4_dst_addr === "198.51.100.1" &&
      flow.in_pkts === 10 && flow.in_bytes === 15000 && flow.protocol === 132).length;
    console.log(`${name}: ${flows.length} flows, ${right} right`);
  } catch (error) {
    console.log(`${name}: ${error.code}`);
  }
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "v5, 2 records: 2 flows, 2 right
v1, 1 record: ERR_OUT_OF_RANGE
v1, 2 records: ERR_OUT_OF_RANGE
v1, 12 records: 13 flows, 1 right
v1, 24 records: 26 flows, 2 right
v7, 2 records: ERR_OUT_OF_RANGE" ] || { echo "changed" >&2; exit 1; }
