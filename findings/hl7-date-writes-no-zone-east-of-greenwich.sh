#!/usr/bin/env bash
# hl7-date 1.0.1 (npm): on a host east of Greenwich each time is written with an offset that is not valid: "+-100" for one hour, "+-6-30" for India.
#
# Guess: stringify() writes YYYYMMDDHHMM and the offset from universal time as "+/-ZZZZ", HHMM, as the README has it (HL7 v2.5.1, §2.A.22, DTM): 13:30 in
#   Berlin is 202601021330+0100.
# Seen: the sign is put before JavaScript's offset, which is negative in the east, and hours and minutes are padded with their own minus: -60 is "+", "-1", "00".
#   In India the hours are rounded down to -6, too. parse() finds no offset in such a text and takes the time for local time, so that a
#   round trip on one host hides it. West of Greenwich, where the package comes from, all is well.
# Source: dist/hl7-date.js, stringify (getTimezoneOffset, "+", Math.floor(offset / 60), padStart).
# Output seen: "America/New_York: 202601020730-0500", "Europe/Berlin: 202601021330+-100", "Asia/Kolkata: 202601021800+-6-30"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund hl7-date@1.0.1 >/dev/null || exit 2
cat >run.js <<'JS'
const { stringify } = require("hl7-date");
console.log(`${process.env.TZ}: ${stringify(new Date(Date.UTC(2026, 0, 2, 12, 30)), "minute")}`);
JS
seen=$(for zone in UTC America/New_York Europe/Berlin Asia/Kolkata; do TZ=$zone node run.js; done)
echo "$seen"
[ "$seen" = "UTC: 202601021230+0000
America/New_York: 202601020730-0500
Europe/Berlin: 202601021330+-100
Asia/Kolkata: 202601021800+-6-30" ] || { echo "changed" >&2; exit 1; }
