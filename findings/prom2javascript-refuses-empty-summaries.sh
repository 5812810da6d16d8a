#!/usr/bin/env bash
# prom2javascript 0.2.0 (npm): one value that is NaN, as a summary without samples has, fails the whole page of metrics.
#
# Guess: NaN, +Inf and -Inf are values of the text format as any number is; a quantile of a summary is NaN until something was measured, and
#   again when its window has passed without a sample, so that each exporter in Go or Java writes it daily. Colons are
#   letters of names, which recording rules use, and pages that Prometheus hands on (federation) are full of.
# Seen: the value has to look like "+Inf" or digits: a line with NaN, Nan or -Inf, or with a name like "job:rtt:p99", raises "Unable to parse
#   metric", and none of the page's other metrics are given. A test against a busy server passes; the idle one at night fails.
# Source: PromMetricDataRegExp in dist/prom.js: (\+Inf|[-]?\d+...) for the value, \w+ for the name.
# Output seen: "plus: 1 metric", "nan: Error", "minus: Error", "colon: Error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund prom2javascript@0.2.0 >/dev/null || exit 2
cat >run.js <<'JS'
const { Readable } = require("stream");
const { getMetricsFromStream } = require("prom2javascript");
const pages = {
  plus: "# TYPE sctp_rwnd gauge\nsctp_rwnd +Inf\n",
  nan: '# TYPE rtt_seconds summary\nrtt_seconds{quantile="0.99"} NaN\nrtt_seconds_sum 0\nrtt_seconds_count 0\n',
  minus: "# TYPE sctp_rwnd gauge\nsctp_rwnd -Inf\n",
  colon: "# TYPE job:rtt:p99 gauge\njob:rtt:p99 0.2\n",
};
(async () => {
  for (const [name, page] of Object.entries(pages)) {
    try {
      const metrics = await getMetricsFromStream(Readable.from([page]));
      console.log(`${name}: ${Object.keys(metrics).length} metric`);
    } catch (error) {
      console.log(`${name}: ${error.message.startsWith("Unable to parse metric") ? "Error" : error}`);
    }
  }
})();
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "plus: 1 metric
nan: Error
minus: Error
colon: Error" ] || { echo "changed" >&2; exit 1; }
