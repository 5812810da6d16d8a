#!/usr/bin/env bash
# mavlink 1.0.1 (npm): times in microseconds are wrong from 36 minutes on: the upper 32 bits of a number are added to the lower.
#
# Guess: SYSTEM_TIME has time_unix_usec as a uint64_t, little end first; a number of JavaScript holds microseconds since 1970 exactly, and the reader,
#   unlike the writer, prints no warning that it has no 64 bits.
# Seen: both words of four octets are added, the lower one with a sign: 2^32 - 1 is -1, 2^32 is 1, and November 2023 is 405 seconds. Times of sensors
#   (RAW_IMU, GPS_RAW_INT), which count from the start, are right for the first 36 minutes, so that a bench does not show it.
# Source: src/mavlink.js, decodeMessage, case uint64_t: (val1<<32) + (val2), where a shift by 32 places is one by none.
# Output seen: "4294967295: -1", "4294967296: 1", "1700000000000000: 405031460"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts mavlink@1.0.1 xml2js@0.6.2 >/dev/null || exit 2
cat >run.js <<'JS'
const Mavlink = require("mavlink");
const link = new Mavlink(1, 1);
link.on("ready", () => {
    for (const microseconds of [4294967295n, 4294967296n, 1700000000000000n]) {
        const payload = Buffer.alloc(12);
        payload.writeBigUInt64LE(microseconds);
        const { time_unix_usec } = link.decodeMessage({ id: link.getMessageID("SYSTEM_TIME"), payload });
        console.log(`${microseconds}: ${time_unix_usec}`);
    }
});
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "4294967295: -1
4294967296: 1
1700000000000000: 405031460" ] || { echo "changed" >&2; exit 1; }
