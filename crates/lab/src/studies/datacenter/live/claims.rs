//! The papers' claims about measurements, and the rules that judge them.

use super::super::NAME;
use super::super::claims::{FEW, MANY};
use super::THROWN_OUT;
use super::plan::{
    ASSOCIATIONS, ASSOCIATIONS_APART, BLOCK, FOUR, FOUR_BY_TWO, LARGE, LOSSES, NARROW, SMALL,
    STREAMS, STREAMS_APART, THROUGHPUT, TINY, Work, several,
};
use crate::estimate::shown;
use crate::{Cell, Evidence, Judgement, Rule, SEEDS_MIN, Settings, Summary};

/// The two ends, as the papers name them.
pub(super) const ENDS: [&str; 2] = ["send", "receive"];

const RATE: &str = "mbit_per_s";
/// Metric: throughput at the receiver.
pub(in super::super) const RECEIVED: &str = "receive_mbit_per_s";
const COST: &str = "cpu_ns_per_byte";
/// Variant: SCTP without optimisations.
const CLASSIC: &str = "sctp-classic";
/// Variant: SCTP with all optimisations; also today's SCTP.
const BEST: &str = "sctp";

/// The cell of a variant at a loss rate, per cent.
pub(in super::super) fn under_loss<'a>(
    summary: &'a Summary,
    variant: &str,
    loss: f64,
) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("variant", variant)
        .with("loss_percent", loss);
    summary.cell(NAME, LOSSES, &some)
}

/// Judges the receiver's throughput of both transports under random loss.
fn random_loss(summary: &Summary) -> Option<Judgement> {
    Judgement::if_tested((summary, NAME, LOSSES), || under_losses(summary))
}

fn under_losses(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for loss in FEW.into_iter().chain(MANY) {
        let of = |variant| under_loss(summary, variant, loss);
        let (sctp, tcp) = (of(BEST)?, of("tcp")?);
        parts.push(match FEW.contains(&loss) {
            true => sctp.is_above(tcp, RECEIVED)?,
            false => sctp.is_below(tcp, RECEIVED)?,
        });
        ours.push(format!(
            "{} at {loss} % (TCP {} Mb/s)",
            sctp.ratio(tcp, RECEIVED)?,
            tcp.estimate(RECEIVED)?
        ));
    }
    Some(Judgement::counted(
        parts,
        format!("SCTP / TCP live: {}", ours.join(", ")),
    ))
}

pub(in super::super) fn rules() -> Vec<Rule> {
    /// The rule of a claim about the papers' SCTP; for today, the optimised SCTP replaces it.
    fn rule<J>(id: &str, judge: J) -> Rule
    where
        J: Fn(&Summary, &str) -> Option<Judgement> + Copy + Send + Sync + 'static,
    {
        Rule::new(id, move |summary| {
            tested(summary, |summary| judge(summary, CLASSIC))
        })
        .today(move |summary| tested(summary, |summary| judge(summary, BEST)))
    }
    fn ours(id: &str, judge: fn(&Summary) -> Option<Judgement>) -> Rule {
        Rule::new(id, move |summary| tested(summary, judge))
    }
    vec![
        rule("DC-1", |summary, sctp| {
            as_fast_at_a_price(summary, (LARGE, sctp), LARGE)
        }),
        rule("DC-1b", |summary, sctp| {
            as_fast_at_a_price(summary, (NARROW, sctp), NARROW)
        }),
        rule("DC-2", |summary, sctp| below(summary, SMALL, sctp)),
        rule("DC-2b", |summary, sctp| below(summary, TINY, sctp)),
        rule("DC-3", |summary, sctp| {
            as_fast_at_a_price(summary, (FOUR_BY_TWO, sctp), FOUR)
        }),
        rule("DC-3b", streams),
        ours("DC-4", optimised),
        ours("DC-5", scaling),
        ours("DC-6", no_delay),
        Rule::new("DC-7 live", random_loss),
        ours("DC-9", checksum),
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
    let measured = |cell: &Cell| cell.seeds(&format!("{}_{RATE}", ENDS[1])).count();
    let mut few = cells.into_iter().filter(|cell| measured(cell) < SEEDS_MIN);
    match few.find_map(Cell::skipped) {
        Some(why) => Some(Judgement::not_testable(why)),
        None => judge(summary),
    }
}

/// Describes the network of the runs, and the number of discarded samples.
fn network(summary: &Summary) -> String {
    let cell = cell(summary, LARGE, "tcp");
    let note = cell.and_then(|cell| cell.note("network"));
    let network = note.map_or_else(String::new, |note| format!(" Over the {note}."));
    let cells = summary
        .cells(NAME, THROUGHPUT, &Settings::new())
        .into_iter();
    let thrown: f64 = cells.flat_map(|cell| cell.values(THROWN_OUT)).sum();
    match thrown {
        0.0 => network,
        _ => format!(
            "{network} {thrown} samples that were disturbed or contradicted themselves were thrown out."
        ),
    }
}

/// Rates and CPU use of two sides, as in the papers' tables.
fn rates(summary: &Summary, sides: [(Work, &str); 2]) -> Option<String> {
    let mut ends = Vec::new();
    for end in ENDS {
        let mut texts = Vec::new();
        for (work, variant) in sides {
            let cell = cell(summary, work, variant)?;
            let rate = cell.estimate(&format!("{end}_{RATE}"))?;
            let cpu = cell.estimate(&format!("{end}_cpu_percent"))?;
            texts.push(format!("{variant} {rate} Mb/s at {cpu} %"));
        }
        ends.push(format!("{end}: {}", texts.join(", ")));
    }
    Some(ends.join("; "))
}

fn as_fast_at_a_price(summary: &Summary, sctp: (Work, &str), tcp: Work) -> Option<Judgement> {
    let mut parts = Vec::new();
    let mut texts = Vec::new();
    let [one, other] = sides(summary, [sctp, (tcp, "tcp")])?;
    for end in ENDS {
        let of = |metric: &str| one.ratios(other, &format!("{end}_{metric}"));
        for (metric, factor) in [(RATE, 0.9), (COST, 1.5)] {
            parts.push(one.exceeds(other, &format!("{end}_{metric}"), factor)?);
        }
        texts.push(format!(
            "{end}: throughput {}, processor time for a byte {}",
            of(RATE)?,
            of(COST)?
        ));
    }
    Some(Judgement::new(
        parts,
        rates(summary, [(tcp, "tcp"), sctp])?,
        format!(
            "SCTP to TCP, median (least to most): {}. Ours works in user space, where each packet \
             of an unoptimised sender is a system call, while TCP's segments are made in one.{}",
            texts.join("; "),
            network(summary)
        ),
    ))
}

fn below(summary: &Summary, works: [Work; 2], sctp: &str) -> Option<Judgement> {
    let mut parts = Vec::new();
    let mut ours = Vec::new();
    let mut texts = Vec::new();
    for work in works {
        let both = [(work, "tcp"), (work, sctp)];
        let [tcp, sctp] = sides(summary, both)?;
        ours.push(format!(
            "{} KiB: {}",
            work.buffer_kib,
            rates(summary, both)?
        ));
        for end in ENDS {
            let metric = format!("{end}_{RATE}");
            let ratio = sctp.ratios(tcp, &metric)?;
            parts.push(!sctp.exceeds(tcp, &metric, 1.0)?);
            texts.push(format!("{end} {ratio} with {} KiB", work.buffer_kib));
        }
    }
    Some(Judgement::new(
        parts,
        ours.join("; "),
        format!(
            "SCTP to TCP, median (least to most): {}. Each message is a system call to TCP, and \
             one call into the library to us, which fills packets with as many as fit.",
            texts.join(", ")
        ),
    ))
}

fn streams(summary: &Summary, sctp: &str) -> Option<Judgement> {
    let of = |works: [Work; 2], variant| sides(summary, works.map(|work| (work, variant)));
    let [one, two] = of([STREAMS, ASSOCIATIONS], sctp)?;
    let rate = one.ratios(two, RECEIVED)?;
    let cpu = one.ratios(two, "send_cpu_percent")?;
    let slower = !one.exceeds(two, RECEIVED, 0.85)?;
    let [best, least] = of([STREAMS, ASSOCIATIONS], "sctp")?;
    let best = best.ratios(least, RECEIVED)?;
    let apart = of([STREAMS_APART, ASSOCIATIONS_APART], "sctp");
    let apart = apart.and_then(|[one, two]| one.ratios(two, RECEIVED));
    let apart = apart.map_or_else(String::new, |apart| {
        format!(", with a processor for each end {apart}")
    });
    Some(Judgement::new(
        vec![slower],
        format!(
            "streams to associations: throughput {rate}, the sender's processor time {cpu}; \
             optimised: throughput {best}{apart}"
        ),
        "Both ends share the processors. The system is apt to put the few threads of one \
              association all on one of them, and those of two associations, which have an \
              endpoint each, on both.",
    ))
}

fn optimised(summary: &Summary) -> Option<Judgement> {
    let mut parts = Vec::new();
    let mut ours = Vec::new();
    let mut gains = Vec::new();
    let [sctp, classic] = sides(summary, [(LARGE, "sctp"), (LARGE, "sctp-classic")])?;
    let tcp = cell(summary, LARGE, "tcp")?;
    for end in ENDS {
        let metric = format!("{end}_{COST}");
        let before = classic.ratios(tcp, &metric)?;
        let after = sctp.ratios(tcp, &metric)?;
        let gain = sctp.ratios(classic, &metric)?;
        parts.push(!sctp.exceeds(classic, &metric, 1.0)?);
        parts.push(!sctp.exceeds(tcp, &metric, 1.5)?);
        ours.push(format!("{end}: {before} times TCP's before, {after} after"));
        gains.push(format!("{end} {gain}"));
    }
    Some(Judgement::new(
        parts,
        ours.join("; "),
        format!(
            "Optimised to classic: {}. What has no switch (no allocation for a packet, one copy, \
             the small block) helps both columns, so the classic one is better than the papers' \
             was.",
            gains.join(", ")
        ),
    ))
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

fn no_delay(summary: &Summary) -> Option<Judgement> {
    const SENT: &str = "send_mbit_per_s";
    let both = |work| {
        let [sctp, tcp] = sides(summary, [(work, "sctp"), (work, "tcp, no delay")])?;
        Some((sctp.ratios(tcp, SENT)?, sctp.exceeds(tcp, SENT, 1.0)?))
    };
    let [small, large] = SMALL.map(both);
    let ((small, small_faster), (large, large_faster)) = (small?, large?);
    Some(Judgement::new(
        vec![large_faster, !small_faster],
        format!("SCTP to TCP: {large} with 256 KiB, {small} with 128 KiB"),
        "What is sent while the window is full leaves in full packets with either; the \
              message is a system call to TCP and none to us.",
    ))
}

fn checksum(summary: &Summary) -> Option<Judgement> {
    let [with, without] = sides(summary, [(LARGE, "sctp, CRC32c"), (LARGE, "sctp")])?;
    let of = |end: &str| with.ratios(without, &format!("{end}_{COST}"));
    let (send, receive) = (of("send")?, of("receive")?);
    let costs =
        |(end, factor): (&str, f64)| with.exceeds(without, &format!("{end}_{COST}"), factor);
    let parts = [("send", 1.2), ("receive", 1.35)].map(costs);
    let parts: Option<Vec<Evidence>> = parts.into_iter().collect();
    Some(Judgement::new(
        parts?,
        format!("with CRC32c to without: send {send}, receive {receive}"),
        "The papers' kernel looked the checksum up in tables, a byte at a time; ours uses the \
              processor's instructions for it.",
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
