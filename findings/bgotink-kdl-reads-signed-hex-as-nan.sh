#!/usr/bin/env bash
# @bgotink/kdl 0.4.0 (npm): a number of KDL with a sign and a base other than ten is NaN, without an error.
#
# Guess: `mask -0x10` and `offset +0b11` are -16 and 3: hex, octal and binary each begin with an optional sign in the grammar of KDL 1 and
#   2, and kdljs reads them so. Without a sign this package reads them right.
# Seen: the value is NaN, for "+" and "-", and all three bases, in files of both versions. Nothing is raised, so that a delay or a shift that a
#   scenario gives in hex is NaN in all that is computed from it, and null in JSON. Negative decimal numbers are right. Written
#   again, the text is the old one, since it was kept.
# Source: parser/parse.js and parser/parse-v1.js: the first two characters are cut, "0x" or "-0", and the rest, "x10", goes through parseInt.
# Output seen: "0x10 16, -0x10 NaN, +0b11 NaN, -0o7 NaN, -10 -10; kdljs: 16, -16, 3, -7, -10"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @bgotink/kdl@0.4.0 kdljs@0.3.0 >/dev/null || exit 2
cat >run.mjs <<'JS'
import { parse } from "@bgotink/kdl";
import { parse as parseByKdljs } from "kdljs";
const numbers = ["0x10", "-0x10", "+0b11", "-0o7", "-10"];
const document = `node ${numbers.join(" ")}`;
const values = parse(document).nodes[0].getArguments();
const others = parseByKdljs(document).output[0].values;
console.log(`${numbers.map((text, index) => `${text} ${values[index]}`).join(", ")}; kdljs: ${others.join(", ")}`);
JS
seen=$(node run.mjs)
echo "$seen"
[ "$seen" = "0x10 16, -0x10 NaN, +0b11 NaN, -0o7 NaN, -10 -10; kdljs: 16, -16, 3, -7, -10" ] || { echo "changed" >&2; exit 1; }
