#!/usr/bin/env bash
# ntp-packet-parser 0.5.0 (npm): a clock that is precise to a tenth of a microsecond has a precision of 2^233 seconds.
#
# Guess: precision is a signed exponent of two (RFC 5905 §7.3, "8-bit signed integer"), -23 for most servers; who measures one-way delays takes
#   from it how far two clocks can be trusted. A kiss-o'-death packet, with stratum 0, has its code in the reference id,
#   as four letters (§7.4), and the README says that the id is a text.
# Seen: poll and precision are read as unsigned: -23 is 233, and the README's Math.pow(2, precision) gives 1.4e70 seconds; every real clock has a
#   negative exponent, so no server's precision is ever right. The code RATE, "ask more seldom", is "1380013125", since only stratum
#   1 has letters: a client that looks for the code goes on asking.
# Source: src/NtpPacketParser.ts: parseInt(bits, 2) for fields without a converter; _ntpIdentifier asks `stratum != 1`.
# Output seen: "precision 233, 1.38e+70 s", "stratum 0: 1380013125", "stratum 1: RATE"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ntp-packet-parser@0.5.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { NtpPacketParser } = require("ntp-packet-parser");
const packet = Buffer.alloc(48);
packet[0] = 0x24;
packet.writeInt8(-23, 3);
packet.write("RATE", 12);
for (const stratum of [0, 1]) {
  packet[1] = stratum;
  const { precision, referenceId } = NtpPacketParser.parse(packet);
  if (stratum === 0) console.log(`precision ${precision}, ${(2 ** precision).toPrecision(3)} s`);
  console.log(`stratum ${stratum}: ${referenceId}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "precision 233, 1.38e+70 s
stratum 0: 1380013125
stratum 1: RATE" ] || { echo "changed" >&2; exit 1; }
