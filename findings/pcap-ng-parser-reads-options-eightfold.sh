#!/usr/bin/env bash
# pcap-ng-parser 1.0.0 (npm): options of an interface are read eight times as long as they are, and none at all is an error.
#
# Guess: the length of an option is bytes (draft-ietf-opsawg-pcapng §3.5), so that the name of the interface is "eth0", and
#   the resolution of the times, a later option, is there under its number, `code_9`; options may be missing.
# Seen: the name is 32 bytes: itself, the next options and what is in them, the filter's text among it; what comes behind
#   is taken for options with random numbers, and the resolution is lost, so that times cannot be read. A file whose
#   interface has no options, the smallest there is, gives a RangeError out of `write`, as do some with short ones.
# Source: src/PCAPNGParser.js, readOptions (dataLength * 8; the end of the buffer itself counts as a place for an option).
# Output seen: 'options: name "eth0\t\u0001\t\u000b!sctp port 5000", code_9 undefined', "no options: ERR_OUT_OF_RANGE"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund pcap-ng-parser@1.0.0 >/dev/null || exit 2
cat >run.js <<'JS'
const Parser = require("pcap-ng-parser");
const little = (size, ...values) => Buffer.concat(values.map((value) => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntLE(value, 0, size);
  return bytes;
}));
const padded = (bytes) => Buffer.concat([bytes, Buffer.alloc((4 - bytes.length % 4) % 4)]);
const block = (type, body) => Buffer.concat([little(4, type, body.length + 12), body, little(4, body.length + 12)]);
const option = (code, text) => Buffer.concat([little(2, code, text.length), padded(Buffer.from(text))]);
const file = (options) => Buffer.concat([
  block(0x0a0d0d0a, Buffer.concat([little(4, 0x1a2b3c4d), little(2, 1, 0), Buffer.alloc(8, 0xff)])),
  block(1, Buffer.concat([little(2, 1, 0), little(4, 0), ...options]))]);
const read = (name, options) => {
  const parser = new Parser();
  parser.on("interface", (one) => console.log(`${name}: name ${JSON.stringify(one.name)}, code_9 ${one.code_9}`));
  try {
    parser.write(file(options));
  } catch (error) {
    console.log(`${name}: ${error.code}`);
  }
};
read("options", [option(2, "eth0"), option(9, "\t"), option(11, "\0sctp port 5000 or sctp port 5001"),
  option(12, "Linux 6.1.0-18-amd64"), option(0, "")]);
read("no options", []);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'options: name "eth0\t\u0001\t\u000b!sctp port 5000", code_9 undefined
no options: ERR_OUT_OF_RANGE' ] || { echo "changed" >&2; exit 1; }
