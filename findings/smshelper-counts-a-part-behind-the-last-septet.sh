#!/usr/bin/env bash
# smshelper 0.1.0 and sms-counter-npm 1.0.4 (npm): the one counts three parts for a text that fills two exactly, the other two parts for a text that needs three.
#
# Guess: a part of a long message has 153 septets, and a sign of two septets, an escape and its own, is not cut between two parts (TS 23.040 §9.2.3.24.1). 304 letters and a
#   euro sign fill two parts; 152 letters, a euro sign and 152 letters are as many septets and need three, of 152, 153 and 1.
# Seen: sms-counter-npm divides the septets by 153 and looks at no border: two parts for both. smshelper looks at escapes at the border and is right there, but begins a part more
#   whenever one is full, the last one too: three for both. Texts without signs of two septets it divides, and is right. split-sms, which cuts the text, is right in all.
# Source: smshelper index.js, parts (parts += 1 at the 153rd septet, be it the last); sms-counter-npm dist/SmsCounter.js, count (Math.ceil).
# Output seen: "border: split-sms 3, smshelper 3, sms-counter-npm 2", "full: split-sms 2, smshelper 3, sms-counter-npm 2", "letters: split-sms 2, smshelper 2, sms-counter-npm 2"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts smshelper@0.1.0 sms-counter-npm@1.0.4 split-sms@0.1.7 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const helper = require("smshelper");
const counter = require("sms-counter-npm");
const { split } = require("split-sms");
const texts = {
  border: `${"a".repeat(152)}€${"b".repeat(152)}`,
  full: `${"a".repeat(304)}€`,
  letters: "a".repeat(306),
};
for (const [name, text] of Object.entries(texts)) {
  console.log(`${name}: split-sms ${split(text).parts.length}, smshelper ${helper.parts(text)}, sms-counter-npm ${counter.count(text).messages}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "border: split-sms 3, smshelper 3, sms-counter-npm 2
full: split-sms 2, smshelper 3, sms-counter-npm 2
letters: split-sms 2, smshelper 2, sms-counter-npm 2" ] || { echo "changed" >&2; exit 1; }
