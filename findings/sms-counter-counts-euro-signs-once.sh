#!/usr/bin/env bash
# sms-counter 1.0.0 (npm): 81 euro signs are one message with room for 79 more; they take 162 septets, which are two.
#
# Guess: each sign of the extension table takes two septets, the escape and its own (TS 23.038 §6.2.1.1), so that the length counts it twice; the package tells such texts from others
#   as GSM_7BIT_EX, and the library it is a port of counts them twice.
# Seen: the name of the encoding is right, the length is that of the JavaScript string. "[", "]", "{", "}", "|", "^", "~" and "\" are counted once, too: a JSON text of 160 characters with
#   braces is "1 message" and is charged as two.
# Source: build/index.js, countGsm7bitEx: what it returns is the length of a function, 0, not that of the list that the function would give.
# Output seen: "81 euro signs: length 81, messages 1, remaining 79", "160 with braces: length 160, messages 1, remaining 0", "161 letters: length 161, messages 2, remaining 145"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts sms-counter@1.0.0 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const counter = require("sms-counter").default;
const texts = { "81 euro signs": "€".repeat(81), "160 with braces": `{${"a".repeat(158)}}`, "161 letters": "a".repeat(161) };
for (const [name, text] of Object.entries(texts)) {
  const { length, messages, remaining } = counter.count(text);
  console.log(`${name}: length ${length}, messages ${messages}, remaining ${remaining}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "81 euro signs: length 81, messages 1, remaining 79
160 with braces: length 160, messages 1, remaining 0
161 letters: length 161, messages 2, remaining 145" ] || { echo "changed" >&2; exit 1; }
