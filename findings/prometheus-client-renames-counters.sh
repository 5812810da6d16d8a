#!/usr/bin/env bash
# prometheus_client 0.26.0 (PyPI): a counter of the text format comes out of the parser under another name.
#
# Guess: text_string_to_metric_families gives the samples as the page has them: `sctp_aborts 1`, of the type counter, is
#   the sample "sctp_aborts". The suffix "_total" is asked for by OpenMetrics, for which there is a parser of its own.
# Seen: the sample is "sctp_aborts_total", which is nowhere on the page. Without the line # TYPE, and as a gauge, the name
#   stays, so that a query for the name works until the exporter declares its type. A counter whose name ends in
#   "_total" gives a family without the ending and samples with it. Kernels and switches export counters without.
# Source: prometheus_client/parser.py, build_metric, which turns counters into OpenMetrics's form.
# Output seen: "untyped: sctp_aborts", "counter: sctp_aborts_total", "gauge: sctp_aborts"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install prometheus_client==0.26.0 || exit 2
cat >run.py <<'PY'
from prometheus_client.parser import text_string_to_metric_families

for name, page in (("untyped", ""), ("counter", "# TYPE sctp_aborts counter\n"), ("gauge", "# TYPE sctp_aborts gauge\n")):
    for family in text_string_to_metric_families(page + "sctp_aborts 1\n"):
        print(f"{name}: {', '.join(sample.name for sample in family.samples)}")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "untyped: sctp_aborts
counter: sctp_aborts_total
gauge: sctp_aborts" ] || { echo "changed" >&2; exit 1; }
