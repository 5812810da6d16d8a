#!/usr/bin/env bash
# mqtt-pattern 2.1.1 (npm): a named # does not match the level above it, against its own README, and no + matches an empty level.
#
# Guess: the name of a wildcard changes what is handed out, not what is matched: user/+id/#path matches user/ann with an empty path
#   (an example of the README; MQTT 3.1.1, §4.7.1.2: "also matches the singular"), and /finance matches +/+ (§4.7.1.3).
# Seen: # alone is compared with the whole word, so that "#path" is not it and the topic ends too early: null. A level without
#   letters is taken for one that is missing: neither +/x with /x nor a/+ with a/ matches, named or not. The broker, which is given
#   clean(pattern), does deliver those messages, and the handler of the pattern is not called for them.
# Source: index.js, matches (!currentTopic && currentPattern !== ALL).
# Output seen: "user/+/# user/ann: true", "user/+id/#path user/ann: false", "+/+ /finance: false"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund mqtt-pattern@2.1.1 >/dev/null || exit 2
cat >run.js <<'JS'
const { clean, matches } = require("mqtt-pattern");

for (const [pattern, topic] of [
  ["user/+/#", "user/ann"],
  ["user/+id/#path", "user/ann"],
  ["user/+id/#path", "user/ann/mood"],
  ["+/+", "/finance"],
  ["/+", "/finance"],
  ["site/+/load", "site//load"],
]) console.log(`${pattern} ${topic}: ${matches(pattern, topic)}`);
console.log(clean("user/+id/#path"));
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "user/+/# user/ann: true
user/+id/#path user/ann: false
user/+id/#path user/ann/mood: true
+/+ /finance: false
/+ /finance: true
site/+/load site//load: false
user/+/#" ] || { echo "changed" >&2; exit 1; }
