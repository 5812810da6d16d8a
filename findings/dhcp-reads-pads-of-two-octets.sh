#!/usr/bin/env bash
# dhcp 0.2.20 (npm): each Pad between options takes the octet behind it along, so that a host name is read as a subnet mask.
#
# Guess: Pad is one octet without a length (RFC 2132, §3.1), there to align what follows; a server that aligns its options is read like
#   one that does not.
# Seen: the code of the option is read, which moves past the Pad, and then the position moves on once more. The code of the next option
#   is lost, its length becomes a code and its value a length: 12, 1, "a" is option 1 of 97 octets, a mask of 255.0.0.0 out of what
#   follows. Two Pads in a row, and all those behind End, do no harm, so captures of most servers pass.
# Source: lib/seqbuffer.js, getOptions (this._r++ for Pad, behind getUInt8).
# Output seen: "no pad: {"12":"a","53":5}", "one pad: {"1":"255.0.0.0","53":5}", "two pads: {"12":"a","53":5}"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund dhcp@0.2.20 >/dev/null || exit 2
cat >run.js <<'JS'
const { parse } = require("dhcp/lib/protocol.js");

const shown = (name, ...pads) => {
  const packet = Buffer.alloc(300);
  packet.set([2, 1, 6]);
  packet.writeUInt32BE(0x63825363, 236);
  packet.set([53, 1, 5, ...pads, 12, 1, 97, 255], 240);
  console.log(`${name}: ${JSON.stringify(parse(packet).options)}`);
};
shown("no pad");
shown("one pad", 0);
shown("two pads", 0, 0);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'no pad: {"12":"a","53":5}
one pad: {"1":"255.0.0.0","53":5}
two pads: {"12":"a","53":5}' ] || { echo "changed" >&2; exit 1; }
