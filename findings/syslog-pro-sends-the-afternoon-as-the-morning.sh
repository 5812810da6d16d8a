#!/usr/bin/env bash
# syslog-pro 1.0.0 (npm): half past three in the afternoon is sent as 03:30:00, in both formats, and midnight as 12.
#
# Guess: the time of RFC 3164 is on a clock of 24 hours ("hh" from 00 to 23, §4.1.2), that of RFC 5424 is RFC 3339's (§6.2.3); so is what a receiver stores.
# Seen: the hour goes from 01 to 12, without a mark for the half of the day. Messages of the afternoon lie before those of the morning, and those of the first hour of the
#   day twelve hours behind it. Between one and twelve in the morning all is right, as most trials are.
# Source: index.js, RFC3164.buildMessage and RFC5424.buildMessage: 'MMM DD hh:mm:ss' and 'YYYY-MM-DDThh:mm:ssZ' for moment, in which hours of a day are HH.
# Output seen: "15:30: Jun  1 03:30:00, 2026-06-01T03:30:00+00:00", "00:30: Jun  1 12:30:00, 2026-06-01T12:30:00+00:00", "09:30: Jun  1 09:30:00, 2026-06-01T09:30:00+00:00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts syslog-pro@1.0.0 moment@2.29.4 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { RFC3164, RFC5424 } = require("syslog-pro");
const options = { hostname: "host", applacationName: "app", color: false };
const show = async (hour) => {
  Date.now = () => Date.UTC(2026, 5, 1, hour, 30);
  const old = await new RFC3164(options).buildMessage("text");
  const recent = await new RFC5424(options).buildMessage("text");
  console.log(`${String(hour).padStart(2, "0")}:30: ${old.slice(5, 20)}, ${recent.split(" ")[1]}`);
};
show(15).then(() => show(0)).then(() => show(9));
JS
seen=$(TZ=UTC node run.js)
echo "$seen"
[ "$seen" = "15:30: Jun  1 03:30:00, 2026-06-01T03:30:00+00:00
00:30: Jun  1 12:30:00, 2026-06-01T12:30:00+00:00
09:30: Jun  1 09:30:00, 2026-06-01T09:30:00+00:00" ] || { echo "changed" >&2; exit 1; }
