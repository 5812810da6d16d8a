#!/usr/bin/env bash
# yang-parser 0.2.1 (npm): a module that was read before is refused once any module of YANG 1.1 has been read in the same process.
#
# Guess: whether "\S" in double quotes is allowed depends on the version that a module names, as RFC 7950 says (§1.1 counts the stricter rule among
#   what changed from version 1); parse() of one text has the same result each time, whichever texts came before.
# Seen: the statement "yang-version 1.1" sets a switch of the package that nothing sets back, not even "yang-version 1" in the next text. The
#   module of IPFIX and PSAMP (RFC 6728), which has such patterns, is read or not by the order in which a tool loads its files, and a
#   service that reads modules on request refuses it until it is started anew.
# Source: lib/yang-parser.js, strict, which is declared outside of parse.
# Output seen: "version 1: read", "version 1.1: read", "version 1: Parsing failed", "version 1, said so: Parsing failed"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund yang-parser@0.2.1 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { parse } = require("yang-parser");
const show = (name, text) => {
  try {
    parse(text);
    console.log(`${name}: read`);
  } catch (error) {
    console.log(`${name}: ${error.message}`);
  }
};
const old = String.raw`module m { typedef name { type string { pattern "\S(.*\S)?"; } } }`;
show("version 1", old);
show("version 1.1", "module n { yang-version 1.1; }");
show("version 1", old);
show("version 1, said so", old.replace("{", "{ yang-version 1;"));
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "version 1: read
version 1.1: read
version 1: Parsing failed
version 1, said so: Parsing failed" ] || { echo "changed" >&2; exit 1; }
