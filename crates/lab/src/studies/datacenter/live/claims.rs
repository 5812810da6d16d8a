//! The papers' claims about measurements, and the rules that judge them.

use super::super::NAME;
use super::plan::{BLOCK, LARGE, THROUGHPUT, Work, several};
use crate::estimate::shown;
use crate::{Cell, Evidence, Judgement, Rule, SEEDS_MIN, Settings, Summary};

/// The two ends, as the papers name them.
pub(super) const ENDS: [&str; 2] = ["send", "receive"];

const COST: &str = "cpu_ns_per_byte";

pub(in super::super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("DC-5", |summary| tested(summary, scaling)),
        Rule::new("DC-10", block),
    ]
}

/// The cell of a workload and a variant.
pub(super) fn cell<'a>(summary: &'a Summary, work: Work, variant: &str) -> Option<&'a Cell> {
    summary.cell(NAME, THROUGHPUT, &work.settings(variant))
}

/// The cells of two sides, each a workload and a variant.
fn sides<'a>(summary: &'a Summary, sides: [(Work, &str); 2]) -> Option<[&'a Cell; 2]> {
    let [one, other] = sides.map(|(work, variant)| cell(summary, work, variant));
    Some([one?, other?])
}

/// Judges a claim, or says that it cannot be tested if too few rounds were measured. Single
/// disturbed rounds do not matter.
fn tested(
    summary: &Summary,
    judge: impl FnOnce(&Summary) -> Option<Judgement>,
) -> Option<Judgement> {
    let cells = summary.cells(NAME, THROUGHPUT, &Settings::new());
    let measured = |cell: &Cell| cell.seeds("receive_mbit_per_s").count();
    let mut few = cells.into_iter().filter(|cell| measured(cell) < SEEDS_MIN);
    match few.find_map(Cell::skipped) {
        Some(why) => Some(Judgement::not_testable(why)),
        None => judge(summary),
    }
}

fn scaling(summary: &Summary) -> Option<Judgement> {
    let metric = "receive_mbit_per_s";
    let grown = |variant| {
        let [four, one] = sides(summary, [(several(4), variant), (several(1), variant)])?;
        four.ratios(one, metric)
    };
    let (sctp, tcp) = (grown("sctp")?, grown("tcp")?);
    let full = |connections| -> Option<f64> {
        let cell = cell(summary, several(connections), "sctp")?;
        let spent = cell.mean("send_cpu_percent")? + cell.mean("receive_cpu_percent")?;
        Some(spent / 100.0)
    };
    let cores = std::thread::available_parallelism().map_or(1.0, |cores| usize::from(cores) as f64);
    let of = |connections, variant| Some((cell(summary, several(connections), variant)?, metric));
    let grows = Evidence::contrast(
        [of(4, "sctp")?, of(1, "sctp")?, of(4, "tcp")?, of(1, "tcp")?],
        |[four, one, tcp_four, tcp_one]| four / one - 0.8 * tcp_four / tcp_one,
    )?;
    let busy = cell(summary, several(3), "sctp")?;
    let ends = ["send_cpu_percent", "receive_cpu_percent"].map(|metric| (busy, metric));
    let full_of = 0.9 * 100.0 * cores;
    let is_full = Evidence::contrast(ends, |[send, receive]| send + receive - full_of)?;
    let (one, three) = (full(1)?, full(3)?);
    let rate = |variant| -> Option<String> {
        let rates = (1..=4).filter_map(|connections| {
            let mean = cell(summary, several(connections), variant)?.mean(metric)?;
            Some(format!("{} with {connections}", shown(mean)))
        });
        Some(rates.collect::<Vec<_>>().join(", "))
    };
    Some(Judgement::new(
        vec![grows, is_full],
        format!(
            "Mb/s: tcp {}; sctp {}; four to one: tcp {tcp}, sctp {sctp}",
            rate("tcp")?,
            rate("sctp")?
        ),
        format!(
            "Both ends share {cores} processors: SCTP keeps {} of them busy with one connection \
             and {} with three.",
            shown(one),
            shown(three)
        ),
    ))
}

fn block(summary: &Summary) -> Option<Judgement> {
    if let Some(reason) = summary.skipped(NAME, BLOCK) {
        return Some(Judgement::not_testable(reason));
    }
    let cell = summary.cell(NAME, BLOCK, &Settings::new())?;
    let ours = cell.mean("block_bytes")?;
    let tcp = cell.mean("tcp_block_bytes");
    let told = match (tcp, cell.note("tcp_block")) {
        (Some(tcp), _) => format!("{} bytes", shown(tcp)),
        (None, note) => format!("not told here ({})", note.unwrap_or_default()),
    };
    Some(Judgement::new(
        vec![Evidence::fact(ours >= 5.0 * tcp.unwrap_or(1000.0))],
        format!("{} bytes; the kernel's TCP block: {told}", shown(ours)),
        "Resident memory of ten thousand idle ends of associations that were used both ways. \
              What is rarely needed (the handshake, gaps, damage) is not allocated until then. \
              TCP's block is without its socket and file.",
    ))
}

/// A clause on the CPU cost and the benefit of go-back-N if the processor is the bottleneck.
pub(in super::super) fn cost_of_going_back(summary: &Summary) -> Option<String> {
    let [back, classic] = sides(
        summary,
        [(LARGE, "classic + go-back-N"), (LARGE, "sctp-classic")],
    )?;
    let of = |end: &str| back.ratios(classic, &format!("{end}_{COST}"));
    Some(format!(
        "; over real sockets without losses, go-back-N takes {} times the processor time of SACK \
         at the sender and {} at the receiver",
        of("send")?,
        of("receive")?
    ))
}

#[cfg(test)]
mod tests;
