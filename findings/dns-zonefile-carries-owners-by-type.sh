#!/usr/bin/env bash
# dns-zonefile 0.3.2 (npm): a line without an owner belongs to the last owner of its own type, or to the zone itself.
#
# Guess: a line that begins with a blank has the owner of the line before (RFC 1035 §5.1), whatever types the two have; a time to live may be
#   "1h" as $TTL may, and may stand on either side of the class.
# Seen: the address in IPv6 below that in IPv4 of a server goes to the zone's own name, if it is the first of its type, or to the server
#   whose IPv6 address was last; SRV records below a new name go to the old name's service. Two lines of one type in turn are right, and
#   so are usual tests. A record with a time of "1h", or with the class first, is left out without an error.
# Source: lib/zonefile.js: each type has a list of its own, and its last element's name is taken; the fields are told by their count.
# Output seen: "a: hss1 192.0.2.1", "aaaa: @ 2001:db8::1", "srv: _a._sctp 10, _a._sctp 20", "hour: {}", "class first: {}"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund dns-zonefile@0.3.2 >/dev/null || exit 2
cat >run.js <<'JS'
const zonefile = require("dns-zonefile");
const { parse } = zonefile.default || zonefile;
const read = (text) => parse(`$ORIGIN example.com.\n$TTL 1h\n${text}\n`);
const zone = read(`_a._sctp IN SRV 10 0 3868 hss1
hss1 IN A 192.0.2.1
     IN AAAA 2001:db8::1
_b._sctp IN NS hss1
     IN SRV 20 0 3868 hss2`);
console.log("a:", zone.a.map(({ name, ip }) => `${name} ${ip}`).join(", "));
console.log("aaaa:", zone.aaaa.map(({ name, ip }) => `${name} ${ip}`).join(", "));
console.log("srv:", zone.srv.map(({ name, priority }) => `${name} ${priority}`).join(", "));
const rest = ({ $origin, $ttl, ...records }) => JSON.stringify(records);
console.log("seconds:", rest(read("hss1 3600 IN A 192.0.2.1")));
console.log("hour:", rest(read("hss1 1h IN A 192.0.2.1")));
console.log("class first:", rest(read("hss1 IN 3600 A 192.0.2.1")));
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'a: hss1 192.0.2.1
aaaa: @ 2001:db8::1
srv: _a._sctp 10, _a._sctp 20
seconds: {"a":[{"name":"hss1","ip":"192.0.2.1","ttl":3600}]}
hour: {}
class first: {}' ] || { echo "changed" >&2; exit 1; }
