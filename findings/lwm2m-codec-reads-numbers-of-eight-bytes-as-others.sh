#!/usr/bin/env bash
# lwm2m-codec 0.1.1 (npm): of floats of eight bytes the first four are read, and negative integers of eight bytes lose 2^33.
#
# Guess: a float of LwM2M's TLV has four or eight bytes, an integer one, two, four or eight, by the length in its header (LwM2M 1.0 §6.4.3 and
#   appendix C); a device that sends doubles is read as one that sends floats.
# Seen: 25.5 degrees as a double are 2.8984375, a plausible temperature, since its first half is taken for a float; the length is not asked for.
#   -1 in eight bytes is -8589934593: 2^32 is taken off twice, though the sign of the first half has it already. The same values in four
#   bytes are right, and so are positive integers of eight.
# Source: lib/decode.js, decodeTlvResrc (readFloatBE for each float; the case of len <= 8).
# Output seen: "float: 25.5, double: 2.8984375", "-1 of 4: -1, -1 of 8: -8589934593, 2^32 of 8: 4294967296"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund lwm2m-codec@0.1.1 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const codec = require("lwm2m-codec");
const bytes = (length, write) => {
  const value = Buffer.alloc(length);
  write(value);
  return value;
};
// A resource with an identifier of 16 bits and a length in the header itself (below 8) or behind it.
const resource = (id, value) => Buffer.concat([
  Buffer.from(value.length < 8 ? [0xe0 | value.length, id >> 8, id & 255] : [0xe8, id >> 8, id & 255, value.length]), value]);
const read = (path, value) => codec.decode("tlv", path, resource(Number(path.split("/")[3]), value));
const degrees = "/3303/0/5700";
const time = "/3/0/13";
console.log(`float: ${read(degrees, bytes(4, (b) => b.writeFloatBE(25.5)))}, double: ${read(degrees, bytes(8, (b) => b.writeDoubleBE(25.5)))}`);
console.log([`-1 of 4: ${read(time, bytes(4, (b) => b.writeInt32BE(-1)))}`, `-1 of 8: ${read(time, bytes(8, (b) => b.writeBigInt64BE(-1n)))}`,
  `2^32 of 8: ${read(time, bytes(8, (b) => b.writeBigInt64BE(2n ** 32n)))}`].join(", "));
JS
seen=$(node --no-deprecation run.js)
echo "$seen"
[ "$seen" = "float: 25.5, double: 2.8984375
-1 of 4: -1, -1 of 8: -8589934593, 2^32 of 8: 4294967296" ] || { echo "changed" >&2; exit 1; }
