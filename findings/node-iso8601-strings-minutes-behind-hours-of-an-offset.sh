#!/usr/bin/env bash
# iso8601 1.1.1 (npm): a time at +02:00 is read as eight days earlier, one at +05:30 as three weeks.
#
# Guess: 2026-01-02T03:04:05+02:00 is 01:04:05 of that day in universal time (RFC 3339 §5.6, ISO 8601); the README has Z alone, the pattern has offsets.
# Seen: the hours are turned into minutes and the minutes of the offset, a text, are put behind that number as digits: 120 and "00" are 12000 minutes,
#   300 and "30" are 30030. Only hours of zero come out right, so that Z and -00:30 pass, and tests with them. No error is raised.
# Source: lib/iso8601.js, toDate: (d[16] * 60) + d[17]; the fork iso8601-convert has parseInt there.
# Output seen: "2026-01-02T03:04:05Z: 2026-01-02T03:04:05.000Z, by the language 2026-01-02T03:04:05.000Z", "2026-01-02T03:04:05-00:30: 2026-01-02T03:34:05.000Z, by the language 2026-01-02T03:34:05.000Z", "2026-01-02T03:04:05+02:00: 2025-12-24T19:04:05.000Z, by the language 2026-01-02T01:04:05.000Z", "2026-01-02T03:04:05+05:30: 2025-12-12T06:34:05.000Z, by the language 2026-01-01T21:34:05.000Z", "2026-01-02T03:04:05-08:00: 2026-02-04T11:04:05.000Z, by the language 2026-01-02T11:04:05.000Z"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts iso8601@1.1.1 >/dev/null || exit 2
cat >run.cjs <<'JS'
const { toDate } = require("iso8601");
for (const text of ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05-00:30", "2026-01-02T03:04:05+02:00", "2026-01-02T03:04:05+05:30", "2026-01-02T03:04:05-08:00"]) {
  console.log(`${text}: ${toDate(text).toISOString()}, by the language ${new Date(text).toISOString()}`);
}
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "2026-01-02T03:04:05Z: 2026-01-02T03:04:05.000Z, by the language 2026-01-02T03:04:05.000Z
2026-01-02T03:04:05-00:30: 2026-01-02T03:34:05.000Z, by the language 2026-01-02T03:34:05.000Z
2026-01-02T03:04:05+02:00: 2025-12-24T19:04:05.000Z, by the language 2026-01-02T01:04:05.000Z
2026-01-02T03:04:05+05:30: 2025-12-12T06:34:05.000Z, by the language 2026-01-01T21:34:05.000Z
2026-01-02T03:04:05-08:00: 2026-02-04T11:04:05.000Z, by the language 2026-01-02T11:04:05.000Z" ] || { echo "changed" >&2; exit 1; }
