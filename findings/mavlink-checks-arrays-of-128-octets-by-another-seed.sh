#!/usr/bin/env bash
# mavlink 1.0.1 (npm): messages with an array of 128 or more elements have a wrong checksum; the library's own FILE_TRANSFER_START is refused by others.
#
# Guess: the seed of a message's checksum is made of its name, its fields and the length of an array as one octet (MAVLink, "CRC_EXTRA calculation"):
#   235 for FILE_TRANSFER_START of this package's definitions, which has char[240].
# Seen: the length is appended to a string as a letter, and the string turned to octets as UTF-8: from 128 on the letter has two octets. The seed is
#   another, so that such a message from an autopilot is a checksumFail, and one that is sent is dropped there. Messages with shorter arrays are right.
# Source: src/mavlink.js, calculateMessageChecksum (String.fromCharCode, then new Buffer).
# Output seen: "HEARTBEAT: 50, by the rule 50", "STATUSTEXT: 83, by the rule 83", "FILE_TRANSFER_START: 128, by the rule 235", "FILE_TRANSFER_DIR_LIST: 68, by the rule 93"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts mavlink@1.0.1 xml2js@0.6.2 >/dev/null || exit 2
cat >run.js <<'JS'
const Mavlink = require("mavlink");
const crc = (octets) => octets.reduce((sum, octet) => {
    let part = (octet ^ sum) & 0xff;
    part = (part ^ (part << 4)) & 0xff;
    return ((sum >> 8) ^ (part << 8) ^ (part << 3) ^ (part >> 4)) & 0xffff;
}, 0xffff);
const link = new Mavlink(1, 1);
link.on("ready", () => {
    for (const name of ["HEARTBEAT", "LOG_DATA", "STATUSTEXT", "FILE_TRANSFER_START", "FILE_TRANSFER_DIR_LIST"]) {
        const message = link.messagesByName[name];
        if (message === undefined) continue;
        const octets = [...Buffer.from(`${name} `)];
        for (const { $: { type, name: field } } of message.field) {
            const [, kind, , count] = /^(\w+)(\[(\d+)\])?$/.exec(type);
            octets.push(...Buffer.from(`${kind} ${field} `), ...(count ? [Number(count)] : []));
        }
        const sum = crc(octets);
        console.log(`${name}: ${link.messageChecksums[message.$.id]}, by the rule ${(sum & 0xff) ^ (sum >> 8)}`);
    }
});
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = "HEARTBEAT: 50, by the rule 50
STATUSTEXT: 83, by the rule 83
FILE_TRANSFER_START: 128, by the rule 235
FILE_TRANSFER_DIR_LIST: 68, by the rule 93" ] || { echo "changed" >&2; exit 1; }
