#!/usr/bin/env bash
# dhcp 0.2.20 (npm): a server's "no" to source routing, trailers or Ethernet encapsulation of type 802.3 is read as "yes", and "yes" is written without its octet.
#
# Guess: options 20, 34, 36 and 39 hold one octet, 0 to disable and 1 to enable (RFC 2132, §4.2, §6.1, §6.3 and §7.3): 20 01 00 is false.
# Seen: a flag is true whenever the option is there, the way Rapid Commit works, which has no value (RFC 4039, §4). The octet of the
#   value is not even skipped: 0 is taken for a Pad, which swallows End too. A flag that is set is written as 14 00, a length
#   that the RFC does not have. Option 19, forwarding itself, is of another type and is right.
# Source: lib/seqbuffer.js, getBool (return true) and addOptions ("Length must be zero"); lib/options.js, 20, 34, 36, 39 of type Bool.
# Output seen: "forwarding off: {"19":0}", "source routing off: {"20":true}", "source routing on, written: 1400ff"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund dhcp@0.2.20 >/dev/null || exit 2
cat >run.js <<'JS'
const { format, parse } = require("dhcp/lib/protocol.js");

const shown = (name, ...options) => {
  const packet = Buffer.alloc(300);
  packet.set([2, 1, 6]);
  packet.writeUInt32BE(0x63825363, 236);
  packet.set([...options, 255], 240);
  const read = parse(packet);
  console.log(`${name}: ${JSON.stringify(read.options)}`);
  return read;
};
shown("forwarding off", 19, 1, 0);
const read = shown("source routing off", 20, 1, 0);
read.options = { 20: true };
const written = format(read);
console.log(`source routing on, written: ${written._data.subarray(240, written._w).toString("hex")}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'forwarding off: {"19":0}
source routing off: {"20":true}
source routing on, written: 1400ff' ] || { echo "changed" >&2; exit 1; }
