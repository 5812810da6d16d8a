//! Numbers of the paper: its tables 1 to 12 and the text before them.

use std::sync::LazyLock;

use serde::Deserialize;

use super::NAME;
use crate::{Cell, Settings, Summary};

/// A quantity in the paper: a run with the standard algorithm, and one with the modified.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Quantity {
    /// Id of the claim about the quantity.
    pub(super) claim: String,
    pub(super) name: String,
    /// Metric that measures the quantity here.
    pub(super) metric: String,
    pub(super) standard: f64,
    pub(super) modified: f64,
}

/// Quantities for which the paper prints one number per algorithm.
pub(super) static QUANTITIES: LazyLock<Vec<Quantity>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct File {
        quantity: Vec<Quantity>,
    }
    let file: File = toml::from_str(include_str!("quantities.toml")).expect("the paper's numbers");
    file.quantity
});

/// The quantities compared by [`distance`], with the paper's values: one for each vector (its mean,
/// if there is one) and each count. Throughput and received data follow from the lifetime; the
/// advertised window depends on how the receiving user reads.
const COMPARED: [(&str, f64); 6] = [
    ("sender_life_s", 8.31),
    ("again_bytes", 128_000.0),
    ("cwnd_mean", 13_502.0),
    ("rto_s_mean", 0.89),
    ("rtt_s_mean", 0.0724),
    ("delay_s_mean", 3.824),
];

/// Whether the metric is kept for runs of the search.
pub(super) fn is_searched(metric: &str) -> bool {
    let mut compared = COMPARED.iter().map(|(name, _)| *name);
    compared.any(|name| name == metric) || ["timeouts", "fast_retransmissions"].contains(&metric)
}

/// Distance of a cell of the standard algorithm from the paper's standard column: the mean absolute
/// logarithm of our value divided by the paper's, converted to a factor, minus 1. A distance of 0
/// is a perfect match; 1 is an average factor of 2 per quantity. The modified column is not
/// considered.
pub(super) fn distance(cell: &Cell) -> Option<f64> {
    let mut sum = 0.0;
    for (metric, paper) in COMPARED {
        // Zero retransmissions count as one message.
        let least = if metric == "again_bytes" {
            4000.0
        } else {
            1e-6
        };
        sum += (cell.mean(metric)?.max(least) / paper).ln().abs();
    }
    Some((sum / COMPARED.len() as f64).exp() - 1.0)
}

/// The cell of an algorithm in the paper's comparison.
pub(super) fn cell<'a>(summary: &'a Summary, algorithm: &str, queue: &str) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("algorithm", algorithm)
        .with("queue", queue);
    summary.cell(NAME, super::CONGESTION, &some)
}

/// The cell of an algorithm in the comparison with a single change.
pub(super) fn varied<'a>(summary: &'a Summary, algorithm: &str, changed: &str) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("algorithm", algorithm)
        .with("changed", changed);
    summary.cell(NAME, super::VARIATION, &some)
}
