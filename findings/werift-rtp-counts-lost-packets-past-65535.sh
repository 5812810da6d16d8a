#!/usr/bin/env bash
# werift-rtp 0.8.9 (npm): of a loss across the wrap of sequence numbers the packets behind it are called 65536 and more.
#
# Guess: a Generic NACK has a first packet and a mask of the sixteen that follow (RFC 4585 §6.2.1), modulo 65536: first 65535 with mask
#   0x0003 is a loss of 65535, 0 and 1, and the sender repeats three packets.
# Seen: the list is 65535, 65536, 65537. No packet has these numbers, so that the sender repeats one of three; the rest is asked for again until it
#   is too late for it. Tests start near a small number; a stream of 500 packets a second has such a moment each two minutes. The
#   package's own writer never makes such a mask: it writes 0 and 1 as another entry, and its tests of both together pass.
# Source: lib/rtp/src/rtcp/rtpfb/nack.js, deSerialize: lost.push(pid + diff + 1).
# Output seen: "own: 65535 0 1", "mask: 65535 65536 65537"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts werift-rtp@0.8.9 >/dev/null || exit 2
cat >run.js <<'JS'
const { GenericNack, RtcpPacketConverter } = require("werift-rtp");
const show = (name, octets) => console.log(`${name}: ${RtcpPacketConverter.deSerialize(octets)[0].feedback.lost.join(" ")}`);
show("own", new GenericNack({ senderSsrc: 1, mediaSourceSsrc: 2, lost: [65535, 0, 1] }).serialize());
show("mask", Buffer.from("81cd0003" + "00000001" + "00000002" + "ffff0003", "hex"));
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "own: 65535 0 1
mask: 65535 65536 65537" ] || { echo "changed" >&2; exit 1; }
