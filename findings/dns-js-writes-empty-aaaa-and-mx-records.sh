#!/usr/bin/env bash
# dns-js 0.3.1 (npm): an AAAA or MX record is written with no data, and a name first mentioned behind octet 255 cannot be written twice.
#
# Guess: what its parser reads its writer writes: an AAAA record has 16 octets (RFC 3596, §2.2), an MX a preference and a name; or the type is an
#   error, as others are ("Not implemented recordtype").
# Seen: both come out with RDLENGTH 0, silently: an answer that was read from one resolver and passed on has lost its addresses, and a strict reader takes
#   the packet for malformed. A pointer to an earlier name is written as c0 and one octet, though it has 14 bits (RFC 1035, §4.1.4), which its
#   parser reads right: once the first mention lies behind octet 255 the write is a RangeError; ten services that are named twice are enough.
# Source: lib/dnsrecord.js, DNSRecord.write (//asMx, //asAAAA); lib/bufferwriter.js, name (byte(0xc0).byte(ref)).
# Output seen: "A: 4", "AAAA: 0", "MX: 0", "SRV: 16", "8 services twice: 353", "10 services twice: RangeError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund dns-js@0.3.1 >/dev/null || exit 2
cat >run.js <<'JS'
const { DNSPacket, DNSRecord } = require("dns-js");
const { A, AAAA, MX, SRV, PTR } = DNSRecord.Type;
const write = (records) => {
  const packet = new DNSPacket(DNSPacket.Flag.RESPONSE);
  for (const [name, type, fields] of records) packet.answer.push(Object.assign(new DNSRecord(name, type, 1, 120), fields));
  return DNSPacket.toBuffer(packet);
};
const HEADER = 12, NAME = 5, TYPE_CLASS_TTL = 8;
const length = (type, fields) => write([["a.b", type, fields]]).readUInt16BE(HEADER + NAME + TYPE_CLASS_TTL);
console.log("A:", length(A, { address: "192.0.2.1" }));
console.log("AAAA:", length(AAAA, { address: "2001:db8::1" }));
console.log("MX:", length(MX, { priority: 10, exchange: "mail.test" }));
console.log("SRV:", length(SRV, { priority: 0, weight: 0, port: 5060, target: "sip.test" }));
for (const count of [8, 10]) {
  const services = Array.from({ length: count }, (_, place) => [`x${place}._sip._udp.test`, PTR, { data: `y${place}.host${place}.example` }]);
  let result;
  try {
    result = write([...services, ...services]).length;
  } catch (error) {
    result = error.name;
  }
  console.log(`${count} services twice: ${result}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "A: 4
AAAA: 0
MX: 0
SRV: 16
8 services twice: 353
10 services twice: RangeError" ] || { echo "changed" >&2; exit 1; }
