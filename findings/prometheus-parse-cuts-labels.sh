#!/usr/bin/env bash
# prometheus-parse 0.2.5 (crate): a label's value ends at its first comma, and a value with an equals sign is dropped.
#
# Guess: values of labels are quoted, so that they may hold any character (Prometheus's text-based exposition format);
#   a line that cannot be parsed is an error or is left out whole.
# Seen: the text between the braces is cut at each comma, quoted or not, and pieces with no or two equals signs are passed
#   over. The sample is kept with what is left: two paths that differ behind the comma become two samples with the same
#   labels. Lists of addresses, options of a mount and URLs with a query are such values.
# Source: src/lib.rs, Labels::parse.
# Output seen: 1 {addresses="192.0.2.1",host="a"}, 2 {addresses="192.0.2.1",host="a"}, 3 {host="a"}
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2021"

[dependencies]
prometheus-parse = "=0.2.5"
TOML
cat >src/main.rs <<'RUST'
use prometheus_parse::{Scrape, Value};

fn main() {
    let text = "\
# TYPE errors counter
errors{host=\"a\",addresses=\"192.0.2.1,198.51.100.1\"} 1
errors{host=\"a\",addresses=\"192.0.2.1,198.51.100.2\"} 2
errors{host=\"a\",route=\"dev=eth0\"} 3
";
    let scrape = Scrape::parse(text.lines().map(|line| Ok(line.to_owned()))).expect("parsed");
    let shown = scrape.samples.iter().map(|sample| match sample.value {
        Value::Counter(count) => format!("{count} {{{}}}", sample.labels),
        _ => "other".to_owned(),
    });
    println!("{}", shown.collect::<Vec<_>>().join(", "));
}
RUST
seen=$(cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = '1 {addresses="192.0.2.1",host="a"}, 2 {addresses="192.0.2.1",host="a"}, 3 {host="a"}' ] || { echo "changed" >&2; exit 1; }
