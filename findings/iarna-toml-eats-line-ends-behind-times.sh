#!/usr/bin/env bash
# @iarna/toml 3.0.0 (npm): a line behind a local time without a fraction is an error.
#
# Guess: "at = 12:30:00" is a value as others are (TOML 1.0, Local Time; the fraction is optional), and the next line follows.
# Seen: the character behind the seconds is swallowed with the time, so that the next line counts as more of this one:
#   "expected only whitespace or comments till end of line". A blank line, a comment, a fraction or the file's end
#   behind it hides that, as does each other kind of date and time; in a list it is the bracket that is missing.
# Source: lib/toml-parser.js, parseOnlyTimeFractionMaybe, which returns without giving the character behind back.
# Output seen: "time: error", "time, blank line: read", "time with fraction: read", "date and time: read", "list: error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @iarna/toml@3.0.0 >/dev/null || exit 2
cat >run.js <<'JS'
const toml = require("@iarna/toml");
for (const [name, value] of [
  ["time", "12:30:00"],
  ["time, blank line", "12:30:00\n"],
  ["time with fraction", "12:30:00.5"],
  ["date and time", "2026-01-02T12:30:00"],
  ["list", "[12:30:00]"],
]) {
  let seen = "read";
  try {
    toml.parse(`at = ${value}\nsize = 1\n`);
  } catch {
    seen = "error";
  }
  console.log(`${name}: ${seen}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "time: error
time, blank line: read
time with fraction: read
date and time: read
list: error" ] || { echo "changed" >&2; exit 1; }
