#!/usr/bin/env bash
# native-dns-packet 0.1.1 (npm): the target of an SRV record and the replacement of a NAPTR record are pointers into the message.
#
# Guess: names within records newer than RFC 1035 are written whole: RFC 2782 demands it for the target of SRV, RFC 3403 §4.1 for the
#   replacement of NAPTR, which are how Diameter and SIP find their servers over SCTP. dns-packet 5.6.1 writes them so.
# Seen: both end with a pointer, as the names of NS or CNAME may: the record's length depends on the rest of the message. RFC 3597 §4 only
#   recommends that receivers follow such pointers; one that takes the record as opaque bytes hands on a pointer into another message, and the
#   client connects to a wrong name or to none. Its own reader and lenient ones follow it, so that tests see nothing.
# Source: packet.js: writeSrv and writeNaptr, which call namePack with the table of labels that the owners' names use.
# Output seen: "native-dns-packet SRV: 10 octets, pointer; NAPTR: 33 octets, pointer", "dns-packet SRV: 21 octets, whole; NAPTR: 44 octets, whole"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund native-dns-packet@0.1.1 dns-packet@5.6.1 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const native = require("native-dns-packet");
const packet = require("dns-packet");
const name = "example.com";
const owner = Buffer.from("\x07example\x03com\x00", "latin1");
const describe = (octets) => {
  const start = octets.indexOf(owner) + owner.length;
  const length = octets.readUInt16BE(start + 8);
  const record = octets.subarray(start + 10, start + 10 + length);
  return `${length} octets, ${record.at(-2) >= 0xc0 ? "pointer" : "whole"}`;
};
const own = (answer) => {
  const message = new native();
  message.header.id = 1;
  message.question.push({ name: "a.test", type: 1, class: 1 });
  message.answer.push({ name, class: 1, ttl: 5, ...answer });
  const octets = Buffer.alloc(512);
  return octets.subarray(0, native.write(octets, message));
};
const other = (answer) => packet.encode({ type: "response", id: 1, answers: [{ name, ttl: 5, ...answer }] });
const service = { order: 100, preference: 10, flags: "s", regexp: "", replacement: "_diameter._sctp.example.com" };
const server = { priority: 10, weight: 0, port: 3868, target: "a.example.com" };
const show = (name, one, two) => console.log(`${name} SRV: ${describe(one)}; NAPTR: ${describe(two)}`);
show("native-dns-packet", own({ type: 33, ...server }), own({ type: 35, service: "AAA+D2S", ...service }));
show("dns-packet", other({ type: "SRV", data: server }), other({ type: "NAPTR", data: { services: "AAA+D2S", ...service } }));
JS
seen=$(node run.js 2>/dev/null)
echo "$seen"
[ "$seen" = "native-dns-packet SRV: 10 octets, pointer; NAPTR: 33 octets, pointer
dns-packet SRV: 21 octets, whole; NAPTR: 44 octets, whole" ] || { echo "changed" >&2; exit 1; }
