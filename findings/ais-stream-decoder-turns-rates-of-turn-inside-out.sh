#!/usr/bin/env bash
# ais-stream-decoder 2.1.2 (npm): of a ship's rate of turn the root is taken where the square belongs, and each turn to port is null.
#
# Guess: the field of a position report is 4.733 times the root of the rate in degrees a minute, with the sign of the turn, and -128 for "not
#   available" (ITU-R M.1371-5, annex 8, messages 1, 2, 3): 20 is (20/4.733) squared, 17.9 degrees a minute to starboard, and -20 as much to port.
# Seen: the root is taken once more: 20 is 2.06, and 100, a turn of 446 degrees a minute, is 4.6. The root of a negative number is no number and becomes
#   null in JSON, so that a ship that turns to port cannot be told from one without the sensor. That the value is compared with -128 only
#   after the root shows that the null of -128 is luck, too.
# Source: dist/format.js, rateOfTurn (Math.sqrt(rot / 4.733)), dist/messages/ais-message-123.js.
# Output seen: "20: decoded 2.06, expected 17.9", "100: decoded 4.6, expected 446.4", "-20: decoded null, expected -17.9", "-128: decoded null, expected null"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ais-stream-decoder@2.1.2 >/dev/null || exit 2
cat >run.js <<'JS'
const AisDecoder = require("ais-stream-decoder").default;
const sentence = (turn) => {
  const field = (value, width) => (value < 0 ? value + 2 ** width : value).toString(2).padStart(width, "0");
  const bits = [[1, 6], [0, 2], [211000001, 30], [0, 4], [turn, 8], [100, 10], [1, 1], [6000000, 28], [30000000, 27], [900, 12], [90, 9], [30, 6],
    [0, 2], [0, 3], [0, 1], [0, 19]].map(([value, width]) => field(value, width)).join("");
  const payload = bits.match(/.{6}/g).map((six) => parseInt(six, 2)).map((six) => String.fromCharCode(six + (six < 40 ? 48 : 56))).join("");
  const text = `AIVDM,1,1,,A,${payload},0`;
  const sum = [...text].reduce((total, letter) => total ^ letter.charCodeAt(0), 0);
  return `!${text}*${sum.toString(16).toUpperCase().padStart(2, "0")}`;
};
const turns = [20, 100, -20, -128];
const decoder = new AisDecoder();
decoder.on("data", (text) => {
  const message = JSON.parse(text);
  const turn = turns.shift();
  const expected = turn === -128 ? null : Math.sign(turn) * Math.round((turn / 4.733) ** 2 * 10) / 10;
  const decoded = message.rateOfTurn === null ? null : Math.round(message.rateOfTurn * 100) / 100;
  console.log(`${turn}: decoded ${decoded}, expected ${expected}`);
});
for (const turn of [...turns]) decoder.write(sentence(turn));
decoder.end();
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "20: decoded 2.06, expected 17.9
100: decoded 4.6, expected 446.4
-20: decoded null, expected -17.9
-128: decoded null, expected null" ] || { echo "changed" >&2; exit 1; }
