#!/usr/bin/env bash
# lwm2m-codec 0.1.1 (npm): in the answer to a discovery each resource that has attributes of its own gets a broken path, and loses them.
#
# Guess: decode("link", ...) reads the CoRE links (RFC 6690 §2) of LwM2M's Discover: a path for each, and the attributes (pmin, pmax, gt, lt, st)
#   of the one that has them. Attributes are set on resources most of all, which is what the operation is asked for.
# Seen: only the first link is read as one; of the others the first and the last character are cut, whatever they are. "</3/0/9>;pmin=5"
#   becomes the path "/3/0/9>;pmin=", so that nothing is found under it, and its period is nowhere. Answers without such attributes, as
#   the package's own encoder writes them (it has attributes for the first alone), are right.
# Source: lib/decode.js, decodeLink (resrc.slice(1, -1)).
# Output seen: "plain: /3/0 {"pmin":10} /3/0/9 /3/0/13", "with pmin: /3/0 {"pmin":10} /3/0/9>;pmin= /3/0/13"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund lwm2m-codec@0.1.1 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const codec = require("lwm2m-codec");
const show = (name, text) => {
  const { path, attrs, resrcList } = codec.decode("link", text);
  console.log(`${name}: ${path} ${JSON.stringify(attrs)} ${resrcList.join(" ")}`);
};
show("plain", "</3/0>;pmin=10,</3/0/9>,</3/0/13>");
show("with pmin", "</3/0>;pmin=10,</3/0/9>;pmin=5,</3/0/13>");
JS
seen=$(node --no-deprecation run.js)
echo "$seen"
[ "$seen" = 'plain: /3/0 {"pmin":10} /3/0/9 /3/0/13
with pmin: /3/0 {"pmin":10} /3/0/9>;pmin= /3/0/13' ] || { echo "changed" >&2; exit 1; }
