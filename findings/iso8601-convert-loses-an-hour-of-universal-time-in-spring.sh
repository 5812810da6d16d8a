#!/usr/bin/env bash
# iso8601-convert 1.0.0 (npm): in Berlin, 02:30 UTC of the day on which summer time begins is read as 03:30 UTC.
#
# Guess: a text with Z names one instant, wherever it is read (ISO 8601); the package is offered as an "alternative to Date.parse()".
# Seen: the fields are set in the local calendar first and moved by the local offset afterwards. The local hour that summer time skips exists in
#   universal time, and each text in it comes out one hour late: 02:00 to 02:59 UTC collide with 03:00 to 03:59. In zones without summer time nothing is
#   seen, and so it is on most machines that test.
# Source: index.js, toDate: date.setHours and then getTimezoneOffset.
# Output seen: "UTC 2026-03-29T01:59:59Z: 2026-03-29T01:59:59.000Z", "UTC 2026-03-29T02:30:00Z: 2026-03-29T02:30:00.000Z", "UTC 2026-03-29T03:30:00Z: 2026-03-29T03:30:00.000Z", "Europe/Berlin 2026-03-29T01:59:59Z: 2026-03-29T01:59:59.000Z", "Europe/Berlin 2026-03-29T02:30:00Z: 2026-03-29T03:30:00.000Z", "Europe/Berlin 2026-03-29T03:30:00Z: 2026-03-29T03:30:00.000Z"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts iso8601-convert@1.0.0 >/dev/null || exit 2
cat >run.cjs <<'JS'
const { toDate } = require("iso8601-convert");
for (const zone of ["UTC", "Europe/Berlin"]) {
  process.env.TZ = zone;
  for (const text of ["2026-03-29T01:59:59Z", "2026-03-29T02:30:00Z", "2026-03-29T03:30:00Z"]) {
    console.log(`${zone} ${text}: ${toDate(text).toISOString()}`);
  }
}
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "UTC 2026-03-29T01:59:59Z: 2026-03-29T01:59:59.000Z
UTC 2026-03-29T02:30:00Z: 2026-03-29T02:30:00.000Z
UTC 2026-03-29T03:30:00Z: 2026-03-29T03:30:00.000Z
Europe/Berlin 2026-03-29T01:59:59Z: 2026-03-29T01:59:59.000Z
Europe/Berlin 2026-03-29T02:30:00Z: 2026-03-29T03:30:00.000Z
Europe/Berlin 2026-03-29T03:30:00Z: 2026-03-29T03:30:00.000Z" ] || { echo "changed" >&2; exit 1; }
