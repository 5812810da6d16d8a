#!/usr/bin/env bash
# parse-prometheus-text-format 1.1.1 (npm): of histograms with labels one is left, without labels, count and sum.
#
# Guess: each set of labels is a histogram of its own with buckets, count and sum (Prometheus's text-based exposition
#   format), as the README shows for a histogram without labels; two paths give two entries, with the label `path`.
# Seen: one entry, whose buckets are those of the last path; a bucket that only the first has stays in between. Count and
#   sum are gone, and `path` with them. Without labels all is there; counters and gauges with labels are right. No error.
# Source: dist/*.js, the flattening of metrics: buckets are told by `le`, and lines with another label count as not the
#   histogram's.
# Output seen: labelled [{"buckets":{"0.1":"1","0.5":"6","+Inf":"2"}}],
#   plain [{"buckets":{"0.1":"5","+Inf":"7"},"count":"7","sum":"1.5"}]
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund parse-prometheus-text-format@1.1.1 >/dev/null || exit 2
cat >run.js <<'JS'
const parse = require("parse-prometheus-text-format");
const labelled = `# TYPE rtt_seconds histogram
rtt_seconds_bucket{path="0",le="0.1"} 5
rtt_seconds_bucket{path="0",le="0.5"} 6
rtt_seconds_bucket{path="0",le="+Inf"} 7
rtt_seconds_sum{path="0"} 1.5
rtt_seconds_count{path="0"} 7
rtt_seconds_bucket{path="1",le="0.1"} 1
rtt_seconds_bucket{path="1",le="+Inf"} 2
rtt_seconds_sum{path="1"} 0.5
rtt_seconds_count{path="1"} 2
`;
const plain = `# TYPE rtt_seconds histogram
rtt_seconds_bucket{le="0.1"} 5
rtt_seconds_bucket{le="+Inf"} 7
rtt_seconds_sum 1.5
rtt_seconds_count 7
`;
console.log("labelled", JSON.stringify(parse(labelled)[0].metrics));
console.log("plain", JSON.stringify(parse(plain)[0].metrics));
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'labelled [{"buckets":{"0.1":"1","0.5":"6","+Inf":"2"}}]
plain [{"buckets":{"0.1":"5","+Inf":"7"},"count":"7","sum":"1.5"}]' ] || { echo "changed" >&2; exit 1; }
