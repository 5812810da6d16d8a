#!/usr/bin/env bash
# @root/asn1 1.0.2 (npm): NULL, which the README lists among the types, is an error where it is read, and where it is packed again.
#
# Guess: "0x05 NULL" stands in the README's list, and 05 00 is in each RSA key's AlgorithmIdentifier (RFC 3279 §2.3.1: the parameters MUST be
#   NULL), so that parse and pack pass it through as they pass an object identifier.
# Seen: in the default form (hex texts) the empty value is taken for none, and the reader then asks for children that are not there: a
#   TypeError about "map". With { json: false } it is read, and pack refuses the result as an unexpected array. What is read of an elliptic
#   curve's key, which has no NULL, and packed is the same bytes.
# Source: parser.js, _toArray ("if (val)", where val is an empty text); packer.js, _pack (a byteLength of 0).
# Output seen: "EC: same", "RSA: Cannot read properties of undefined (reading 'map')", "RSA, bytes: unexpected array"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @root/asn1@1.0.2 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const asn1 = require("@root/asn1");
const show = (name, hex, json) => {
  try {
    const packed = asn1.pack(asn1.parse({ der: Buffer.from(hex, "hex"), json }));
    console.log(`${name}: ${Buffer.from(packed).toString("hex") === hex ? "same" : "other"}`);
  } catch (error) {
    console.log(`${name}: ${error.message}`);
  }
};
show("EC", "301306072a8648ce3d020106082a8648ce3d030107", true);
show("RSA", "300d06092a864886f70d0101010500", true);
show("RSA, bytes", "300d06092a864886f70d0101010500", false);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "EC: same
RSA: Cannot read properties of undefined (reading 'map')
RSA, bytes: unexpected array" ] || { echo "changed" >&2; exit 1; }
