#!/usr/bin/env bash
# openmetrics-parser 0.5.1 (crate): a metric without # TYPE or # HELP in front belongs to the metric before it, an error.
#
# Guess: TYPE and HELP lines are optional (Prometheus's text-based exposition format: a metric without is untyped;
#   OpenMetrics: unknown), so "rtt 1" and "cwnd 2" are two metrics, and a family whose metrics are not there yet may stand
#   as a TYPE line alone, as some clients write them.
# Seen: the parser begins a family with a comment only. The second line is an InvalidMetric, and so is a typed family after
#   one that has no samples, unless, in Prometheus's format, each has its HELP first. The whole page is refused. Labels of one
#   metric that differ (an optional `path`) are an error as well, which neither format asks for.
# Source: prometheus.pest and openmetrics.pest, in which a family is headings and then samples, and parsers.rs beside them.
# Output seen: "two names: refused, refused", "type alone: refused, refused", "help first: read, refused", "labels differ: refused, refused"
#   (Prometheus, OpenMetrics)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "finding"
edition = "2021"

[dependencies]
openmetrics-parser = "=0.5.1"
TOML
cat >src/main.rs <<'RUST'
fn main() {
    for (name, page) in [
        ("two names", "rtt 1\ncwnd 2\n"),
        ("type alone", "# TYPE rtt gauge\n# TYPE cwnd gauge\ncwnd 2\n"),
        ("help first", "# HELP rtt Time.\n# TYPE rtt gauge\n# HELP cwnd Window.\n# TYPE cwnd gauge\ncwnd 2\n"),
        ("labels differ", "# TYPE rtt gauge\nrtt{peer=\"a\"} 1\nrtt{peer=\"b\",path=\"1\"} 2\n"),
    ] {
        let plain = openmetrics_parser::prometheus::parse_prometheus(page).is_ok();
        let open = openmetrics_parser::openmetrics::parse_openmetrics(&format!("{page}# EOF\n")).is_ok();
        let word = |read| if read { "read" } else { "refused" };
        println!("{name}: {}, {}", word(plain), word(open));
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "two names: refused, refused
type alone: refused, refused
help first: read, refused
labels differ: refused, refused" ] || { echo "changed" >&2; exit 1; }
