//! The paper's figures: its tables 1 to 12 and the text before them.

use super::NAME;
use super::plan::Variation;
use crate::{Cell, Settings, Summary};

/// A quantity of the paper: one run with the standard algorithm, one with the modified.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quantity {
    /// The claim that it belongs to.
    pub(super) claim: &'static str,
    pub(super) name: &'static str,
    /// The metric that measures it here.
    pub(super) metric: &'static str,
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

const fn quantity(
    claim: &'static str,
    name: &'static str,
    metric: &'static str,
    standard: f64,
    modified: f64,
) -> Quantity {
    Quantity {
        claim,
        name,
        metric,
        standard,
        modified,
    }
}

/// The quantities that the paper prints as one number for each algorithm. Its least values are left
/// out: its simulator records a first 0 before there is a window or an RTO.
pub(super) const QUANTITIES: [Quantity; 23] = [
    quantity("FO-1", "lifetime, sender (s)", "sender_life_s", 8.31, 5.36),
    quantity(
        "FO-1",
        "lifetime, receiver (s)",
        "receiver_life_s",
        8.25,
        5.29,
    ),
    quantity(
        "FO-2",
        "throughput, sender (bit/s)",
        "sender_bit_per_s",
        384_921.0,
        596_921.0,
    ),
    quantity(
        "FO-2",
        "throughput, receiver (bit/s)",
        "receiver_bit_per_s",
        387_879.0,
        604_063.0,
    ),
    quantity("FO-3", "sent (bytes)", "sent_bytes", 528_000.0, 516_000.0),
    quantity(
        "FO-3",
        "sent again (bytes)",
        "again_bytes",
        128_000.0,
        116_000.0,
    ),
    quantity("FO-4", "cwnd, max (bytes)", "cwnd_max", 24_940.0, 24_940.0),
    quantity(
        "FO-4",
        "cwnd, mean (bytes)",
        "cwnd_mean",
        13_502.0,
        13_822.0,
    ),
    quantity("FO-4", "cwnd, sd (bytes)", "cwnd_deviation", 6214.0, 6581.0),
    quantity("FO-5", "RTO, max (s)", "rto_s_max", 2.28, 2.143),
    quantity("FO-5", "RTO, mean (s)", "rto_s_mean", 0.89, 0.689),
    quantity("FO-5", "RTO, sd (s)", "rto_s_deviation", 0.363, 0.307),
    quantity("FO-6", "RTT, max (s)", "rtt_s_max", 0.974, 0.183),
    quantity("FO-6", "RTT, mean (s)", "rtt_s_mean", 0.0724, 0.0784),
    quantity("FO-6", "RTT, sd (s)", "rtt_s_deviation", 0.0217, 0.0287),
    quantity(
        "FO-7",
        "message delay, max (s)",
        "delay_s_max",
        7.176,
        5.203,
    ),
    quantity(
        "FO-7",
        "message delay, mean (s)",
        "delay_s_mean",
        3.824,
        3.188,
    ),
    quantity(
        "FO-7",
        "message delay, sd (s)",
        "delay_s_deviation",
        1.861,
        1.402,
    ),
    quantity(
        "FO-8",
        "messages received",
        "received_bytes_count",
        100.0,
        100.0,
    ),
    quantity(
        "FO-8",
        "received (bytes)",
        "received_bytes_max",
        400_000.0,
        400_000.0,
    ),
    quantity("FO-8", "the last of them (s)", "received_s", 7.228, 5.256),
    quantity(
        "FO-9",
        "advertised window, max (bytes)",
        "rwnd_max",
        61_535.0,
        95_535.0,
    ),
    quantity(
        "FO-9",
        "advertised window, mean (bytes)",
        "rwnd_mean",
        36_988.0,
        54_883.0,
    ),
];

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
