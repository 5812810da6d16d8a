#!/usr/bin/env bash
# dnsz 4.5.2 (npm): "4 IN PTR host." of a reverse zone belongs to the zone itself with a time to live of 4 seconds, and with the class before the time the type is "IN".
#
# Guess: a line that does not begin with a blank begins with its owner (RFC 1035 §5.1), which in reverse zones is a number: 4.2.0.192.in-addr.arpa; time and class may stand in
#   either order (§5.1, "[<TTL>] [<class>]" and "[<class>] [<TTL>]").
# Seen: a first field of digits is taken for the time to live, so that all pointers of a zone written in the usual way have the zone's name; where a time is given, too, they are
#   right. "a IN 300 A 192.0.2.1" is a record of type IN with the content "300 A 192.0.2.1" and the time of $TTL. No error is raised.
# Source: dist/index.js: if (!ttl && name && /^[0-9]/.test(name)) the name is the time to live; reLine has the fields in one order: name, ttl, class, type.
# Output seen: "2.0.192.in-addr.arpa 4 PTR a.example.com.", "5.2.0.192.in-addr.arpa 60 PTR b.example.com.", "a.example.com 3600 IN 300 A 192.0.2.1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts dnsz@4.5.2 >/dev/null 2>&1 || exit 2
cat >run.mjs <<'JS'
import { parseZone } from "dnsz";
const show = (origin, lines) => {
  for (const { name, ttl, type, content } of parseZone(`$ORIGIN ${origin}\n$TTL 3600\n${lines}\n`).records) {
    console.log(name, ttl, type, content);
  }
};
show("2.0.192.in-addr.arpa.", "4 IN PTR a.example.com.\n5 60 IN PTR b.example.com.");
show("example.com.", "a IN 300 A 192.0.2.1");
JS
seen=$(node run.mjs)
echo "$seen"
[ "$seen" = "2.0.192.in-addr.arpa 4 PTR a.example.com.
5.2.0.192.in-addr.arpa 60 PTR b.example.com.
a.example.com 3600 IN 300 A 192.0.2.1" ] || { echo "changed" >&2; exit 1; }
