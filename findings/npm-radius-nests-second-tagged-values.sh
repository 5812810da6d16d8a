#!/usr/bin/env bash
# radius 1.1.4 (npm): of two tagged attributes, as tunnels have them, the second stands inside the first one's pair of tag and text.
#
# Guess: an attribute that occurs once is its value, one that occurs more often a list of values, and one with a tag (RFC 2868 §3)
#   a pair [tag, value]; so two of them are [[1, "VLAN"], [2, "L2TP"]], as two of an attribute without tags are ["a", "b"].
# Seen: a pair counts as a list that is there already: [1, "VLAN", [2, "L2TP"]], of three [1, "VLAN", [2, "L2TP"], [3, "GRE"]]. A
#   program that goes over the list meets a number, a text and a pair; one that takes [0] and [1] has the first tunnel and never
#   sees the others.
# Who cares: RADIUS proxies and clients for tunnels and VLANs, since RFC 2868 groups by tag whatever belongs together.
# Source: lib/radius.js, decode_attributes: `instanceof Array` of the value that is there.
# Output seen: 'one: [1,"VLAN"]', 'two: [1,"VLAN",[2,"L2TP"]]', 'untagged: ["a","b"]'
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund radius@1.1.4 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const radius = require("radius");
const show = (name, wanted, octets) => {
  const body = Buffer.from(octets, "hex");
  const packet = Buffer.concat([Buffer.from("02010000" + "00".repeat(16), "hex"), body]);
  packet.writeUInt16BE(packet.length, 2);
  console.log(`${name}: ${JSON.stringify(radius.decode({ packet, secret: "secret" }).attributes[wanted])}`);
};
// Tunnel-Type (64): length, tag, three octets of value.
show("one", "Tunnel-Type", "40060100000d");
show("two", "Tunnel-Type", "40060100000d" + "400602000003");
show("three", "Tunnel-Type", "40060100000d" + "400602000003" + "40060300000a");
show("untagged", "Reply-Message", "120361" + "120362");
JS
seen=$(node --no-deprecation run.js)
echo "$seen"
[ "$seen" = 'one: [1,"VLAN"]
two: [1,"VLAN",[2,"L2TP"]]
three: [1,"VLAN",[2,"L2TP"],[3,"GRE"]]
untagged: ["a","b"]' ] || { echo "changed" >&2; exit 1; }
