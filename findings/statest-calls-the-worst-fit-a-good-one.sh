#!/usr/bin/env bash
# statest 0.2.2 (crate): a count that fits a distribution exactly is refused, and the worse one fits the better.
#
# Guess: chi2_fit "returns `true` if p-value is larger than `p`": of 600 throws of a die a hundred of each are true at 0.05 (p is 1), and 300 ones are false.
# Seen: the other way round. The method chi2_fit of Chi2Fit returns the p-value; the trait takes it for 1 - p. The test of independence beside it is right:
#   there the method does return 1 - p.
# Source: src/chi2.rs, chi2_fit ("1.0 - chi2f.chi2_fit(pi) < p"), Chi2Fit::chi2_fit ("1.0 - self.dist.cdf(q)"), Chi2Indep::chi2_indep ("self.dist.cdf(q)").
# Output seen: "fair: p 1.0000, fits false", "as chance has it: p 0.5815, fits true", "loaded: p 0.0000, fits true"
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
statest = "=0.2.2"
TOML
cat >src/main.rs <<'RUST'
use statest::chi2::{Chi2Fit, Chi2Vec};

fn main() {
    let even = [1.0 / 6.0; 6];
    for (name, throws) in [
        ("fair", vec![100_usize; 6]),
        ("nearly fair", vec![101, 99, 102, 98, 100, 100]),
        ("as chance has it", vec![110, 95, 108, 92, 90, 105]),
        ("loaded", vec![300, 60, 60, 60, 60, 60]),
    ] {
        println!("{name}: p {:.4}, fits {}", Chi2Fit::new(&throws).chi2_fit(&even), throws.chi2_fit(&even, 0.05));
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 5 cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "fair: p 1.0000, fits false
nearly fair: p 0.9998, fits false
as chance has it: p 0.5815, fits true
loaded: p 0.0000, fits true" ] || { echo "changed" >&2; exit 1; }
