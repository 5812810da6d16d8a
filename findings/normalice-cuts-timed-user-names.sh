#!/usr/bin/env bash
# normalice 1.0.1 (npm): a TURN user name with a colon, as credentials with an expiry time have, ends at the colon.
#
# Guess: a package that brings ICE servers into the form that all browsers take keeps user name and password, and does for `turns:` and
#   `stuns:` (RFC 7064, RFC 7065) what it does for `turn:` and `stun:`: it adds the list `urls`.
# Seen: TURN's usual credentials for a while have user names of "expiry time:user", which coturn's use-auth-secret asks for. In an address
#   such a name becomes the expiry time, its user the password, and the real password, given beside it, wins over that: the server
#   refuses the allocation, and calls work wherever no relay is needed. Servers over TLS come back as they were: a
#   text is still a text, and a `url` has no `urls`, which is what newer browsers read. freeice 2.2.2 builds its lists with it.
# Source: index.js: parts[0].split(':') of which [0] and [1] are used; protocols has "stun:" and "turn:", compared with five letters.
# Output seen: "turn: 1764480000 / secret, urls", "plain: 1764480000 / alice, urls", "turns: alice / secret, no urls"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund normalice@1.0.1 >/dev/null || exit 2
cat >run.js <<'JS'
const normalice = require("normalice");
const show = (name, server) => {
  const { username, credential, urls } = normalice(server);
  console.log(`${name}: ${username} / ${credential}, ${urls ? "urls" : "no urls"}`);
};
show("turn", { url: "turn:1764480000:alice@relay.example:3478", credential: "secret" });
show("plain", "turn:1764480000:alice@relay.example:3478");
show("turns", { url: "turns:relay.example:5349", username: "alice", credential: "secret" });
show("stuns", "stuns:relay.example:5349");
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "turn: 1764480000 / secret, urls
plain: 1764480000 / alice, urls
turns: alice / secret, no urls
stuns: undefined / undefined, no urls" ] || { echo "changed" >&2; exit 1; }
