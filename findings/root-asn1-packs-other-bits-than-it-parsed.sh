#!/usr/bin/env bash
# @root/asn1 1.0.2 (npm): a bit string with unused bits grows by an octet when it is parsed and packed again, and -128 becomes 128.
#
# Guess: pack takes what parse gives, and writes the same: 03 02 05 a0, the key usage of a certificate, has 5 unused bits in its first octet (X.690
#   §8.6.2), and 02 01 80 is -128 (§8.3.3).
# Seen: parse takes off the octet of unused bits only if it is 0, and pack always puts 00 in front, so that 05 becomes eight of the bits. An integer
#   with the first bit set gets a 00 too, as if it had lost one. A request or certificate with key usages is another after the round.
# Source: packer.js, ASN1.BitStr and ASN1.UInt, used by ASN1._pack.
# Output seen: "127: 02017f, packed 02017f", "128: 02020080, packed 02020080", "8 bits: 030200a0, packed 030200a0", "3 bits: 030205a0, packed 03030005a0", "-128: 020180, packed 02020080"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @root/asn1@1.0.2 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const ASN1 = require("@root/asn1");

for (const [name, der] of Object.entries({ "8 bits": "030200a0", "3 bits": "030205a0", 127: "02017f", 128: "02020080", "-128": "020180" })) {
  const parsed = ASN1.parse({ der: Buffer.from(der, "hex") });
  console.log(`${name}: ${der}, packed ${Buffer.from(ASN1.pack(parsed)).toString("hex")}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "127: 02017f, packed 02017f
128: 02020080, packed 02020080
8 bits: 030200a0, packed 030200a0
3 bits: 030205a0, packed 03030005a0
-128: 020180, packed 02020080" ] || { echo "changed" >&2; exit 1; }
