#!/usr/bin/env bash
# netlink 0.3.0 (npm): attributes that it does not know are dropped, although README and types have a field for them.
#
# Guess: "unknown attributes will be collected at the __unparsed field" (README), as pairs of type and data, and what is written from an object with the
#   field has them again: a program that reads a route, changes its metric and writes it keeps what a newer kernel put there.
# Seen: they are pushed to the field of the object, which is not there yet, with a call that does nothing in that case, and the list that would become the
#   field stays empty. So a route with a flow label (RTA_FLOWLABEL, 31, of newer kernels) is read and written without it, and nothing
#   tells. A field that one fills oneself is refused as an unknown key.
#   The types say that the field may change its form, not that it is absent.
# Source: dist/structs.js, getObject (obj.__unparsed?.push beside the local list `unparsed`) and putObject.
# Output seen: "read { priority: 100 }", "16 octets written as 8", "filled by hand: Unknown key"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund netlink@0.3.0 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { AttrStream, formatAttribute, putU32 } = require("netlink/dist/structs.js");
const { formatRouteAttrs, parseRouteAttrs } = require("netlink/dist/rt/gen_structs.js");

const write = (attributes) => {
  const stream = new AttrStream();
  stream.emit(formatRouteAttrs(attributes));
  return Buffer.concat(stream.bufs);
};
const sent = Buffer.concat([...formatAttribute({ type: 6, data: putU32(100) }), ...formatAttribute({ type: 31, data: putU32(7) })]);
const read = parseRouteAttrs(sent);
console.log("read", read);
console.log(`${sent.length} octets written as ${write(read).length}`);
try {
  console.log(`filled by hand: ${write({ ...read, __unparsed: [[31, putU32(7)]] }).length} octets`);
} catch (error) {
  console.log(`filled by hand: ${error.message.split(" \"")[0]}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "read { priority: 100 }
16 octets written as 8
filled by hand: Unknown key" ] || { echo "changed" >&2; exit 1; }
