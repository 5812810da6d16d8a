#!/usr/bin/env bash
# werift-rtp 0.8.9 (npm): in a compound packet a NACK names the octets of all packets behind it as lost, and names of sources go on, too.
#
# Guess: each RTCP packet ends where its length says, since packets are sent together (RFC 3550 §6.1: all are compound): a NACK of packet 7
#   before a Picture Loss Indication asks for packet 7, and the source description before it has one source.
# Seen: the list of losses goes on through the next packet: 7, then 33230 and 33232 out of its header, and so on. The packets
#   behind are read again as themselves, and well. Where NACK comes last, as many senders have it, all is right; behind a NACK
#   each source, header and report makes the sender repeat packets that nobody asked for. A description behind which more
#   comes has as many sources as the rest has words that can be read so.
# Source: lib/rtp/src/rtcp/rtcp.js, deSerialize: payload is data.subarray(pos), without an end; nack.js and sdes.js read to its end.
# Output seen: "last: 7", "first: 7 33230 33232 0 1 0 2", "sources last: 1", "sources first: 3"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts werift-rtp@0.8.9 >/dev/null || exit 2
cat >run.js <<'JS'
const { GenericNack, RtcpPacketConverter } = require("werift-rtp");
const nack = "81cd0003" + "00000001" + "00000002" + "00070000";
const loss = "81ce0002" + "00000001" + "00000002";
const sources = "81ca0003" + "11223301" + "0103616263000000";
const read = (octets) => RtcpPacketConverter.deSerialize(Buffer.from(octets, "hex"));
const losses = (octets) => read(octets).map(({ feedback }) => feedback).find((feedback) => feedback instanceof GenericNack).lost.join(" ");
console.log(`last: ${losses(loss + nack)}`);
console.log(`first: ${losses(nack + loss)}`);
console.log(`sources last: ${read(loss + sources)[1].chunks.length}`);
console.log(`sources first: ${read(sources + loss)[0].chunks.length}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "last: 7
first: 7 33230 33232 0 1 0 2
sources last: 1
sources first: 3" ] || { echo "changed" >&2; exit 1; }
