#!/usr/bin/env bash
# werift-rtp 0.8.9 (npm): the results that it derives from transport-wide feedback have a packet too many for each run, and none of lists.
#
# Guess: `packetResults` of a feedback has each packet once, from the base number on, with its time of arrival; runs ("two received") and lists
#   ("received, lost, received") are two ways to write the same, and times add up in the units of 250 µs of the draft
#   (draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1), whatever is rounded at last.
# Seen: a run of n has n+1 packets; each run begins at the base number again, so that the losses of 102 and 103 are of 100 and 101; lists have
#   no results at all. Each delta is cut to whole milliseconds before it is added: eight packets 750 µs apart came at one instant. An
#   estimate of bandwidth, which is what the feedback is for, sees a burst on a fast path, and other losses than there were.
# Source: lib/rtp/src/rtcp/rtpfb/twcc.js: `i <= this.runLength`; packetResults gives each chunk the same number, and keeps RunLengthChunk only.
# Output seen: "three: 100 at 1, 101 at 2, 102 at 3, 103 at 0", "mixed: ... 100 lost, 101 lost, ...", "list: ", "fast: 100 at 0, 101 at 0, ..."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts werift-rtp@0.8.9 >/dev/null || exit 2
cat >run.js <<'JS'
const { RtcpPacketConverter } = require("werift-rtp");
const show = (name, count, chunks, deltas) => {
  let body = Buffer.from(`0000000100000002006400${count}00000001${chunks}${deltas}`, "hex");
  body = Buffer.concat([body, Buffer.alloc(-body.length & 3)]);
  const header = Buffer.from([0x8f, 205, 0, body.length / 4]);
  const [{ feedback }] = RtcpPacketConverter.deSerialize(Buffer.concat([header, body]));
  const results = feedback.packetResults.map((result) =>
    `${result.sequenceNumber} ${result.received ? `at ${result.receivedAtMs}` : "lost"}`);
  console.log(`${name}: ${results.join(", ")}`);
};
show("three", "03", "2003", "040404");
show("mixed", "06", "2002" + "0002" + "2002", "04040404");
show("list", "03", "a800", "0404");
show("fast", "08", "2008", "0303030303030303");
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "three: 100 at 1, 101 at 2, 102 at 3, 103 at 0
mixed: 100 at 1, 101 at 2, 102 at 3, 100 lost, 101 lost, 102 lost, 100 at 4, 101 at 0, 102 at 0
list: 
fast: 100 at 0, 101 at 0, 102 at 0, 103 at 0, 104 at 0, 105 at 0, 106 at 0, 107 at 0, 108 at 0" ] || { echo "changed" >&2; exit 1; }
