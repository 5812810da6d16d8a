#!/usr/bin/env bash
# notepack.io 3.0.1 and messagepack 1.1.12 (npm): whole numbers from 2^64 on, Number.MAX_VALUE among them, arrive as others, often 0.
#
# Guess: a JavaScript number that no integer of MessagePack can hold is written as a float 64, as 1.5 is, and is read back equal;
#   msgpack-lite does so. "No limit" (an ssthresh at the start, a rate that is not bounded) as
#   Number.MAX_VALUE or 1e300 stays large.
# Seen: whatever is whole becomes a uint 64 of which the upper bits are cut: 2^64, 1e300 and Number.MAX_VALUE are read as 0, and
#   1e20 as 7766279631452242000, with the same library or another one. Infinity is written as a float and arrives. A bottleneck
#   without a limit has rate 0 in the results.
# Source: notepack.io lib/encode.js, messagepack dist/messagepack.cjs.js: a number equal to its Math.floor is an integer.
# Output seen: "1.7976931348623157e+308: notepack.io 0, messagepack 0, msgpack-lite 1.7976931348623157e+308"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund notepack.io@3.0.1 messagepack@1.1.12 msgpack-lite@0.1.26 >/dev/null || exit 2
cat >run.js <<'JS'
const libraries = ["notepack.io", "messagepack", "msgpack-lite"].map((name) => [name, require(name)]);
for (const number of [1.5, 1e20, 2 ** 64, Number.MAX_VALUE, Infinity]) {
  const read = libraries.map(([name, { encode, decode }]) => `${name} ${decode(encode(number))}`);
  console.log(`${number}: ${read.join(", ")}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "1.5: notepack.io 1.5, messagepack 1.5, msgpack-lite 1.5
100000000000000000000: notepack.io 7766279631452242000, messagepack 7766279631452242000, msgpack-lite 100000000000000000000
18446744073709552000: notepack.io 0, messagepack 0, msgpack-lite 18446744073709552000
1.7976931348623157e+308: notepack.io 0, messagepack 0, msgpack-lite 1.7976931348623157e+308
Infinity: notepack.io Infinity, messagepack Infinity, msgpack-lite Infinity" ] || { echo "changed" >&2; exit 1; }
