#!/usr/bin/env bash
# nmea 0.1.2 (npm): the latitude 48.16666 is written as 48010.000, which its own reader takes for 800 degrees.
#
# Guess: ddmm.mmm: minutes have two digits in front of the point, so that 9.9996 minutes, rounded to three places, are 10.000 and the text is 4810.000
#   (NMEA 0183: fixed two digits of minutes).
# Seen: whether a zero is needed is asked of the minutes before they are rounded: 9.9996 is below ten, and its text "10.000" gets the zero. A step of
#   a metre in the middle of a track leaves the planet. 9.999 and 10.001 are right; longitudes fare the same.
# Source: helpers.js, encodeLatitude and encodeLongitude (if(m < 10)).
# Output seen: "48 degrees 9.999: 4809.999,N, read 48.16665000", "48 degrees 9.9994: 4809.999,N, read 48.16665000", "48 degrees 9.9996: 48010.000,N, read 800.16666667", "48 degrees 10.001: 4810.001,N, read 48.16668333"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts nmea@0.1.2 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { Helpers } = require("nmea");

for (const minutes of [9.999, 9.9994, 9.9996, 10.001]) {
  const text = Helpers.encodeLatitude(48 + minutes / 60);
  console.log(`48 degrees ${minutes}: ${text}, read ${Helpers.parseLatitude(...text.split(","))}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "48 degrees 9.999: 4809.999,N, read 48.16665000
48 degrees 9.9994: 4809.999,N, read 48.16665000
48 degrees 9.9996: 48010.000,N, read 800.16666667
48 degrees 10.001: 4810.001,N, read 48.16668333" ] || { echo "changed" >&2; exit 1; }
