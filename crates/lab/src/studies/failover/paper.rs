//! The paper's figures: its tables 1 to 12 and the text before them.

use std::sync::LazyLock;

use serde::Deserialize;

use super::NAME;
use super::plan::Variation;
use crate::{Cell, Settings, Summary};

/// A quantity of the paper: one run with the standard algorithm, one with the modified.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Quantity {
    /// The claim that it belongs to.
    pub(super) claim: String,
    pub(super) name: String,
    /// The metric that measures it here.
    pub(super) metric: String,
    pub(super) standard: f64,
    pub(super) modified: f64,
}

/// The direction in which the modification moves a quantity in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Up,
    Down,
    Unmoved,
}

impl Quantity {
    /// Whether a verdict hangs on it. That something stays as it was is the point of FO-8 only.
    pub(super) fn is_judged(&self) -> bool {
        self.way() != Way::Unmoved || self.claim == "FO-8"
    }

    pub(super) fn way(&self) -> Way {
        if self.modified > self.standard {
            Way::Up
        } else if self.modified < self.standard {
            Way::Down
        } else {
            Way::Unmoved
        }
    }
}

/// The quantities that the paper prints as one number for each algorithm.
pub(super) static QUANTITIES: LazyLock<Vec<Quantity>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct File {
        quantity: Vec<Quantity>,
    }
    let file: File = toml::from_str(include_str!("quantities.toml")).expect("the paper's numbers");
    file.quantity
});

/// The quantities of a claim.
pub(super) fn of(claim: &str) -> impl Iterator<Item = &'static Quantity> {
    QUANTITIES
        .iter()
        .filter(move |quantity| quantity.claim == claim)
}

/// The parts of the distance: one quantity for each of the paper's vectors and counts, its mean
/// where it has one. Throughput and what was received say nothing beside the lifetime; the
/// advertised window hangs on how the receiver's user reads.
const COMPARED: [(&str, f64); 6] = [
    ("sender_life_s", 8.31),
    ("again_bytes", 128_000.0),
    ("cwnd_mean", 13_502.0),
    ("rto_s_mean", 0.89),
    ("rtt_s_mean", 0.0724),
    ("delay_s_mean", 3.824),
];

/// True of metrics that are kept of the runs of the search.
pub(super) fn is_searched(metric: &str) -> bool {
    let mut compared = COMPARED.iter().map(|(name, _)| *name);
    compared.any(|name| name == metric) || ["timeouts", "fast_retransmissions"].contains(&metric)
}

/// The distance of a cell of the standard algorithm from the paper's standard column: the mean of
/// the absolute logarithms of ours over the paper's, as the factor that it stands for, less 1. 0 is
/// the paper; 1 is a factor of 2 in each quantity on average. Of the modified column it knows
/// nothing.
pub(super) fn distance(cell: &Cell) -> Option<f64> {
    let mut sum = 0.0;
    for (metric, paper) in COMPARED {
        // No retransmission at all counts as one message.
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

/// The cell of an algorithm in the same comparison today.
pub(super) fn cell_today<'a>(summary: &'a Summary, algorithm: &str) -> Option<&'a Cell> {
    let some = Settings::new().with("algorithm", algorithm);
    summary.cell(NAME, super::CONGESTION_TODAY, &some)
}

/// The cell of an algorithm in the comparison with one thing changed.
pub(super) fn varied<'a>(
    summary: &'a Summary,
    algorithm: &str,
    variation: Variation,
) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("algorithm", algorithm)
        .with("changed", variation.name());
    summary.cell(NAME, super::VARIATION, &some)
}
