#!/usr/bin/env bash
# @ygoe/msgpack 1.0.3 (npm): a time before 1970 that has milliseconds is written one second later.
#
# Guess: 1969-12-31T23:59:58.500Z is the second -2 and 500,000,000 ns: nanoseconds are added, also to negative seconds (MessagePack specification,
#   "Timestamp extension type").
# Seen: the seconds are not rounded down before they are cut into octets, -1.5 becomes -1, and the nanoseconds are added to it: 23:59:59.500. Times with
#   whole seconds are right, and so is the last second before 1970.
# Source: msgpack.js, appendDate (sec = getTime() / 1000, to appendInt64).
# Output seen: "1969-12-31T23:59:58.000Z: read 1969-12-31T23:59:58.000Z", "1969-12-31T23:59:58.500Z: read 1969-12-31T23:59:59.500Z", "1955-01-01T12:00:00.250Z: read 1955-01-01T12:00:01.250Z"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts @ygoe/msgpack@1.0.3 >/dev/null || exit 2
cat >run.js <<'JS'
const { deserialize, serialize } = require("@ygoe/msgpack");
for (const text of ["1969-12-31T23:59:58.000Z", "1969-12-31T23:59:58.500Z", "1955-01-01T12:00:00.250Z"]) {
    console.log(`${text}: read ${deserialize(serialize(new Date(text))).toISOString()}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "1969-12-31T23:59:58.000Z: read 1969-12-31T23:59:58.000Z
1969-12-31T23:59:58.500Z: read 1969-12-31T23:59:59.500Z
1955-01-01T12:00:00.250Z: read 1955-01-01T12:00:01.250Z" ] || { echo "changed" >&2; exit 1; }
