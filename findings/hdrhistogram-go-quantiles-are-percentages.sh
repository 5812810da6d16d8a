#!/usr/bin/env bash
# hdrhistogram-go 1.4.0 (Go): ValueAtQuantile(0.99) is the value at 0.99 %, near the smallest, not the 99th percentile.
#
# Guess: a quantile is a part of 1, as in the ports to Rust (`value_at_quantile(0.99)`) and in Prometheus; the method beside it,
#   ValueAtPercentile, is for 99. A value out of range is an error.
# Seen: both take percentages and are the same function. A latency "p99" that is ported by its name is 10 of 1..1000 instead of 990,
#   always plausible, and better the worse the tail is; "p100" (1.0) is the first percentile. 100 times too much, 9900, is no error
#   either and is the maximum.
# Source: hdr.go, ValueAtQuantile (its comment has the range 0.0 to 100.0).
# Output seen: "Go: ValueAtQuantile(0.99) 10, (1) 10, (9900) 1000, ValueAtPercentile(99) 990",
#   "Rust: value_at_quantile(0.99) 990, value_at_percentile(99) 990"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
go mod init finding >/dev/null 2>&1
go get github.com/HdrHistogram/hdrhistogram-go@v1.4.0 >/dev/null 2>&1 || exit 2
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func main() {
	times := hdrhistogram.New(1, 10000, 3)
	for value := int64(1); value <= 1000; value++ {
		_ = times.RecordValue(value)
	}
	fmt.Printf("Go: ValueAtQuantile(0.99) %d, (1) %d, (9900) %d, ValueAtPercentile(99) %d\n", times.ValueAtQuantile(0.99),
		times.ValueAtQuantile(1), times.ValueAtQuantile(9900), times.ValueAtPercentile(99))
}
GO
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "finding"
edition = "2021"

[dependencies]
hdrhistogram = { version = "=7.5.4", default-features = false }
TOML
cat >src/main.rs <<'RUST'
fn main() {
    let mut times = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 10_000, 3).unwrap();
    (1..=1000).for_each(|value| times.record(value).unwrap());
    println!("Rust: value_at_quantile(0.99) {}, value_at_percentile(99) {}", times.value_at_quantile(0.99), times.value_at_percentile(99.0));
}
RUST
seen=$(nice -n 15 go run . 2>/dev/null && CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "Go: ValueAtQuantile(0.99) 10, (1) 10, (9900) 1000, ValueAtPercentile(99) 990
Rust: value_at_quantile(0.99) 990, value_at_percentile(99) 990" ] || { echo "changed" >&2; exit 1; }
