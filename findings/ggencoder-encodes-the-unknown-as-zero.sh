#!/usr/bin/env bash
# ggencoder 1.0.10 (npm): a ship of which only the place is known is sent as one that lies still, on course 0, not turning. Static data make a sentence that is too long.
#
# Guess: what is not given is "not available" (ITU-R M.1371-5, annex 8, messages 1 to 3: speed 1023, course 3600, rate of turn -128), as the heading is, 511, which is
#   handled that way. Static data, 424 bits, are two sentences, as a sentence has 82 characters at most (IEC 61162-1; the fragment fields are for that).
# Seen: undefined becomes 0 in each field but the heading: a speed of 0 knots, a course of 0 degrees, a rate of turn of 0, "not turning". The static data are one sentence, "1 of 1", of 90
#   characters and the line end, which a reader that keeps to 82 drops.
# Source: lib/GG-AisEncode.js, case 1 to 3 (parseInt(msg.sog * 10), NaN >> i is 0; hdg), "ignore multipart extention messages".
# Output seen: "speed 0, course 0, turn 0, heading 511", "message 5: 1 sentence of 92 characters"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ggencoder@1.0.10 >/dev/null || exit 2
cat >run.js <<'JS'
const { AisEncode } = require("ggencoder");
const { nmea } = new AisEncode({ aistype: 1, mmsi: 211000001, navstatus: 15, lat: 54.5, lon: 10.1 });
const bits = [...nmea.split(",")[5]].map((letter) => letter.charCodeAt(0) - 48).map((code) => (code > 40 ? code - 8 : code).toString(2).padStart(6, "0")).join("");
const field = (start, width) => parseInt(bits.slice(start, start + width), 2);
console.log(`speed ${field(50, 10)}, course ${field(116, 12)}, turn ${field(42, 8)}, heading ${field(128, 9)}`);
const fixed = new AisEncode({ aistype: 5, mmsi: 211000001, imo: 9074729, callsign: "DABC", shipname: "ALPHA", cargo: 70, destination: "KIEL" });
console.log(`message 5: ${fixed.nmea.split(",")[1]} sentence of ${fixed.nmea.length + 2} characters`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "speed 0, course 0, turn 0, heading 511
message 5: 1 sentence of 92 characters" ] || { echo "changed" >&2; exit 1; }
