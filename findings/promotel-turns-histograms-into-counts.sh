#!/usr/bin/env bash
# @platformatic/promotel 0.2.2 (npm): each histogram of Prometheus becomes one bucket without bounds in OpenTelemetry.
#
# Guess: "complete metric support" of a converter to OTLP means that of a page with buckets up to 0.1 s, 0.5 s and infinity the bounds
#   are [0.1, 0.5] and the counts [2, 3, 2]: OTLP has bounds in order, one count more than bounds, each without those below.
# Seen: the bounds are [], the counts [7]: only the last line of the buckets, "+Inf", is left. Count and sum are right, and the point is valid
#   OTLP, so that neither sender nor collector complains; every percentile of a delay that somebody draws from it is empty or
#   infinite. It is so for a page of text and for a registry of prom-client 15.1.3, the package's own bridge.
# Source: dist/otlp.js, createHistogramData: the list `buckets` begins anew for each time series, and each bucket is one.
# Output seen: "text: bounds [] counts [7] of 7", "registry: bounds [] counts [7] of 7"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @platformatic/promotel@0.2.2 prom-client@15.1.3 >/dev/null || exit 2
cat >run.mjs <<'JS'
import { convert, getFromRegistry, parse } from "@platformatic/promotel";
import { Histogram, Registry } from "prom-client";

const show = (name, request) => {
  const [metric] = convert(request).resource_metrics[0].scope_metrics[0].metrics;
  const [point] = metric.histogram.data_points;
  console.log(`${name}: bounds ${JSON.stringify(point.explicit_bounds)} counts ${JSON.stringify(point.bucket_counts)} of ${point.count}`);
};
show("text", parse(`# TYPE rtt_seconds histogram
rtt_seconds_bucket{le="0.1"} 2
rtt_seconds_bucket{le="0.5"} 5
rtt_seconds_bucket{le="+Inf"} 7
rtt_seconds_sum 4
rtt_seconds_count 7
`));
const registry = new Registry();
const rtt = new Histogram({ name: "rtt_seconds", help: "Round-trip time", buckets: [0.1, 0.5], registers: [registry] });
for (const seconds of [0.05, 0.05, 0.2, 0.3, 0.4, 1, 2]) rtt.observe(seconds);
show("registry", await getFromRegistry({ registry }));
JS
seen=$(node run.mjs)
echo "$seen"
[ "$seen" = "text: bounds [] counts [7] of 7
registry: bounds [] counts [7] of 7" ] || { echo "changed" >&2; exit 1; }
