#!/usr/bin/env bash
# smpp 0.5.1 (npm): text is sent in the GSM alphabet under the number of IA5, and IA5 of a peer is read as GSM.
#
# Guess: data_coding 1 is IA5, that is ASCII (SMPP 3.4 §5.2.19), and 0 the default alphabet of the centre, in practice GSM 03.38. A
#   message without a coding is sent with 0, or with 1 and ASCII octets; "user@host_1" has 40 for @ and 5f for _.
# Seen: with the automatic choice the coding is 1, which the package calls ASCII, and the octets are GSM's: @ is 00, _ is 11, { is
#   1b 28, and even "Ω" counts as ASCII. A centre that follows the number stores NULs and control characters. What a peer
#   sends as IA5 is read as GSM: an address of mail becomes "user¡host§1". Between two programs with this package
#   all texts are right. With data_coding 0 the octets agree with the number.
# Who cares: centres and tests that join Node programs with other stacks; letters and digits alone never show it.
# Source: lib/defs.js, encodings.ASCII ("GSM 03.38") and consts.ENCODING.ASCII.
# Output seen: "user@host_1: coding 1, 7573657200686f73741131", "Ω: coding 1, 15", "of a peer: user¡host§1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund smpp@0.5.1
cat >run.js <<'JS'
const { PDU } = require("smpp");
const sent = (text) => {
  const message = new PDU("submit_sm", { destination_addr: "1", short_message: text });
  const octets = message.toBuffer();
  return `coding ${message.data_coding}, ${octets.subarray(octets.length - text.length).toString("hex")}`;
};
console.log(`user@host_1: ${sent("user@host_1")}`);
console.log(`Ω: ${sent("Ω")}`);
const peer = new PDU("deliver_sm", { data_coding: 1, short_message: Buffer.from("user@host_1", "ascii") });
console.log(`of a peer: ${new PDU(peer.toBuffer()).short_message.message}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "user@host_1: coding 1, 7573657200686f73741131
Ω: coding 1, 15
of a peer: user¡host§1" ] || { echo "changed" >&2; exit 1; }
