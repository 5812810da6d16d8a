#!/usr/bin/env bash
# nmea-simple 3.3.0 and extended-nmea 2.1.3 (npm): the latitude 4807 without a fraction is 0 in one and 80.1 degrees in the other.
#
# Guess: the point and the fraction of minutes are optional in NMEA 0183 (field type llll.ll), so that 4807,N is 48 degrees and 7 minutes as 4807.0,N
#   is.
# Seen: both look for the point to find the minutes. Without it nmea-simple gives 0, a place that exists, and extended-nmea takes the whole number for
#   minutes: 4807 / 60. No error and no mark. nmea 0.1.2 counts the digits and is right.
# Source: nmea-simple dist/helpers.js, parseDmCoordinate (dotIdx < 0); extended-nmea dist/types/utils/GeoCoordinate.js (splitAt < 0).
# Output seen: "4807.0: 48.1167, 48.1167, 48.1167", "4807: 0.0000, 80.1167, 48.1167"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts nmea-simple@3.3.0 extended-nmea@2.1.3 nmea@0.1.2 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const simple = require("nmea-simple");
const { GeoCoordinate } = require("extended-nmea/dist/types/utils/GeoCoordinate");
const { Helpers } = require("nmea");

for (const latitude of ["4807.0", "4807"]) {
  const sentence = simple.parseNmeaSentence(withSum(`$GPGLL,${latitude},N,01131.0,E,123519,A`));
  const extended = new GeoCoordinate(latitude, "N");
  console.log(`${latitude}: ${sentence.latitude.toFixed(4)}, ${extended.decimalDegrees.toFixed(4)}, ${Number(Helpers.parseLatitude(latitude, "N")).toFixed(4)}`);
}

function withSum(text) {
  const value = [...text.slice(1)].reduce((total, letter) => total ^ letter.charCodeAt(0), 0);
  return text + "*" + value.toString(16).toUpperCase().padStart(2, "0");
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "4807.0: 48.1167, 48.1167, 48.1167
4807: 0.0000, 80.1167, 48.1167" ] || { echo "changed" >&2; exit 1; }
