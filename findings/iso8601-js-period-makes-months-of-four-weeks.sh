#!/usr/bin/env bash
# iso8601-js-period 0.2.1 (npm): distributing the overflow of P364D gives one year and one month, 390 days by the same package.
#
# Guess: distributing moves what overflows to the next unit and keeps the length, as PT90S is 1 minute and 30 seconds; its own parseToTotalSeconds has
#   months of 30 days and years of 360.
# Seen: days become weeks of 7, and 4 weeks a month, 12 of which are a year: 336 days. P28D becomes a month of 30 days, P364D a year and a month. Read
#   back as a duration, the first has gained 2 days, the second 26. Minutes and hours are right.
# Source: iso8601.js, parsePeriodString: overflowLimits [0, 12, 4, 7, 24, 60, 60] beside the factors of parseToTotalSeconds.
# Output seen: "PT90S (90 s): P0Y0M0W0DT0H1M30S (90 s)", "PT36H (129600 s): P0Y0M0W1DT12H0M0S (129600 s)", "P10D (864000 s): P0Y0M1W3DT0H0M0S (864000 s)", "P28D (2419200 s): P0Y1M0W0DT0H0M0S (2592000 s)", "P30D (2592000 s): P0Y1M0W2DT0H0M0S (2764800 s)", "P364D (31449600 s): P1Y1M0W0DT0H0M0S (33696000 s)"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts iso8601-js-period@0.2.1 >/dev/null || exit 2
cat >run.cjs <<'JS'
const { Period } = require("iso8601-js-period");
for (const text of ["PT90S", "PT36H", "P10D", "P28D", "P30D", "P364D"]) {
  const [y, mo, w, d, h, m, s] = Period.parse(text, true);
  const again = `P${y}Y${mo}M${w}W${d}DT${h}H${m}M${s}S`;
  console.log(`${text} (${Period.parseToTotalSeconds(text)} s): ${again} (${Period.parseToTotalSeconds(again)} s)`);
}
JS
seen=$(node run.cjs)
echo "$seen"
[ "$seen" = "PT90S (90 s): P0Y0M0W0DT0H1M30S (90 s)
PT36H (129600 s): P0Y0M0W1DT12H0M0S (129600 s)
P10D (864000 s): P0Y0M1W3DT0H0M0S (864000 s)
P28D (2419200 s): P0Y1M0W0DT0H0M0S (2592000 s)
P30D (2592000 s): P0Y1M0W2DT0H0M0S (2764800 s)
P364D (31449600 s): P1Y1M0W0DT0H0M0S (33696000 s)" ] || { echo "changed" >&2; exit 1; }
