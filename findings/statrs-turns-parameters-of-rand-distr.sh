#!/usr/bin/env bash
# statrs 0.19.1 and rand_distr 0.6.0 (crates): Weibull, Gamma and Geometric of the same name and arguments are other distributions.
#
# Guess: one crate draws the delays of a simulated path, the other has the density and the mean to compare them with; both
#   are built on rand's traits, and `Weibull::new(2.0, 5.0)` is the same in both, as Pareto, LogNormal, Triangular and Exp are.
# Seen: Weibull takes the shape first in statrs, the scale first in rand_distr; the second argument of Gamma is a rate in one and a
#   scale in the other, so that the means are 0.4 and 10; Geometric counts trials (from 1) in one, failures (from 0) in the other: a
#   burst of losses is one packet longer. All are f64, and nothing but a test of the fit tells.
# Source: doc comments of `new` in both crates; for Geometric statrs has the support {1, 2, 3, ...}.
# Output seen: "Weibull 4.4 1.8", "Gamma 0.4 10.0", "Geometric 4.0 3.0", "Pareto 2.5 2.5" (mean by statrs, mean of the draws)
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
rand = { version = "=0.10.4", default-features = false, features = ["std_rng"] }
rand_distr = "=0.6.0"
statrs = { version = "=0.19.1", default-features = false, features = ["std"] }
TOML
cat >src/main.rs <<'RUST'
use rand::{rngs::StdRng, SeedableRng};
use rand_distr::Distribution as Draws;
use statrs::{distribution as model, statistics::Distribution};

fn show<T: Into<f64>>(name: &str, mean: Option<f64>, draws: impl Draws<T>) {
    let random = StdRng::seed_from_u64(1);
    let sum: f64 = draws.sample_iter(random).take(1 << 20).map(T::into).sum();
    println!("{name} {:.1} {:.1}", mean.unwrap(), sum / f64::from(1 << 20));
}

fn main() {
    show("Weibull", model::Weibull::new(2.0, 5.0).unwrap().mean(), rand_distr::Weibull::new(2.0, 5.0).unwrap());
    show("Gamma", model::Gamma::new(2.0, 5.0).unwrap().mean(), rand_distr::Gamma::new(2.0, 5.0).unwrap());
    let failures = rand_distr::Geometric::new(0.25).unwrap().map(|failures| failures as f64);
    show("Geometric", model::Geometric::new(0.25).unwrap().mean(), failures);
    show("Pareto", model::Pareto::new(2.0, 5.0).unwrap().mean(), rand_distr::Pareto::new(2.0, 5.0).unwrap());
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "Weibull 4.4 1.8
Gamma 0.4 10.0
Geometric 4.0 3.0
Pareto 2.5 2.5" ] || { echo "changed" >&2; exit 1; }
