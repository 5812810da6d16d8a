//! Claims about floods, judged by the honest clients that get established.

use crate::studies::establishment::scene::FIRST;
use crate::studies::establishment::{FLOOD, LINE, NAME};
use crate::studies::pair::BACKLOG;
use crate::{Cell, Evidence, Judgement, Settings, Summary};

const SHARE: &str = "established_share";
/// Line and processor count as carrying a flood if their queues drop less than this share of
/// packets. Our choice.
const CARRIED: f64 = 0.01;
/// A listener counts as closed if its share of established clients falls below this factor times
/// the share without a flood. Our choice.
const CLOSED: f64 = 0.5;

/// The queues that may drop packets: metric and name.
const QUEUES: [(&str, &str); 3] = [
    ("line_dropped_share", "the line"),
    ("line_back_dropped_share", "the line back"),
    ("processor_dropped_share", "the processor"),
];

/// Both listeners under a flood of the same rate.
struct Rate<'a> {
    /// Flood rate, packets per second.
    per_second: f64,
    sctp: &'a Cell,
    tcp: &'a Cell,
}

impl<'a> Rate<'a> {
    fn new(summary: &'a Summary, per_second: f64) -> Option<Self> {
        let cell = |transport: &str| {
            let some = Settings::new().with("transport", transport);
            summary.cell(NAME, LINE, &some.with("flood_per_s", per_second))
        };
        Some(Self {
            per_second,
            sctp: cell("sctp")?,
            tcp: cell("tcp")?,
        })
    }

    /// Whether the flood may have filled the backlog when the first honest client starts.
    fn fills_backlog(&self) -> bool {
        self.per_second * FIRST.as_nanos() as f64 * 1e-9 >= BACKLOG as f64
    }
}

/// The results without a flood, and those with floods over the line, by rate.
fn rates(summary: &Summary) -> Option<(Rate<'_>, Vec<Rate<'_>>)> {
    let places = summary.numbers(NAME, LINE, "flood_per_s");
    let floods = places.into_iter().filter(|rate| *rate > 0.0);
    let floods: Option<Vec<Rate<'_>>> = floods.map(|rate| Rate::new(summary, rate)).collect();
    Some((Rate::new(summary, 0.0)?, floods?))
}

/// Whether line and processor carry a flood.
fn is_carried(cell: &Cell) -> bool {
    let dropped = QUEUES.map(|(metric, _)| cell.mean(metric).unwrap_or(0.0));
    dropped.into_iter().all(|share| share < CARRIED)
}

pub(super) fn cookies(summary: &Summary) -> Option<Judgement> {
    let some = Settings::new().with("transport", "sctp");
    let handed_over = summary.cell(NAME, FLOOD, &some)?;
    let (none, floods) = rates(summary)?;
    let held = handed_over.mean("half_open")? + handed_over.mean("state_bytes")?;
    let mut parts = vec![handed_over.every("half_open", held == 0.0)];
    for flood in &floods {
        let half_open = flood.sctp.mean("half_open")?;
        parts.push(flood.sctp.every("half_open", half_open == 0.0));
    }
    let carried: Vec<&Cell> = cells(&floods).filter(|cell| is_carried(cell)).collect();
    for cell in &carried {
        parts.push(!cell.is_below(none.sctp, SHARE)?);
    }
    if carried.is_empty() {
        parts.push(Evidence::fact(false));
    }
    Some(Judgement::new(
        parts,
        format!(
            "{held} associations and bytes held after {} INITs; honest clients established: {}",
            handed_over.settings.number("packets"),
            shares(cells(&floods))?
        ),
        format!(
            "The INIT ACK carries all state in a signed cookie; an INIT costs {} ns. {}",
            handed_over.estimate("ns_per_packet")?,
            limits(cells(&floods))?
        ),
    ))
}

/// SCTP's cells of the floods.
fn cells<'a>(floods: &[Rate<'a>]) -> impl Iterator<Item = &'a Cell> {
    floods.iter().map(|flood| flood.sctp)
}

pub(super) fn backlog(summary: &Summary) -> Option<Judgement> {
    let (none, floods) = rates(summary)?;
    let decisive = floods.iter().filter(|flood| flood.fills_backlog());
    let decisive = decisive.filter(|flood| is_carried(flood.sctp) && is_carried(flood.tcp));
    let mut parts = Vec::new();
    for flood in decisive {
        parts.push(flood.tcp.falls_short(none.tcp, SHARE, CLOSED)?);
        parts.push(flood.sctp.is_above(flood.tcp, SHARE)?);
    }
    if parts.is_empty() {
        parts.push(Evidence::fact(false));
    }
    Some(Judgement::new(
        parts,
        format!(
            "honest clients established: {}",
            shares(floods.iter().map(|flood| flood.tcp))?
        ),
        format!(
            "Each SYN takes one of {BACKLOG} places until its retransmissions are over, after two \
             minutes: one or two SYNs a second keep all taken in the end, {} a second take them in \
             the time before the first client, far below what line and processor carry. A TCP with \
             SYN cookies, which this one has not, would answer.",
            (BACKLOG as f64 / FIRST.as_nanos() as f64 * 1e9).ceil()
        ),
    ))
}

/// The shares of established clients by flood rate, in words.
fn shares<'a>(cells: impl Iterator<Item = &'a Cell>) -> Option<String> {
    let told = cells.map(|cell| {
        let share = cell.mean(SHARE)? * 100.0;
        Some(format!("{share:.0} % at {}/s", rate(cell)))
    });
    let told: Option<Vec<String>> = told.collect();
    Some(told?.join(", "))
}

/// The floods that overflow a queue, in a sentence.
fn limits<'a>(cells: impl Iterator<Item = &'a Cell>) -> Option<String> {
    let full = cells.filter(|cell| !is_carried(cell)).map(|cell| {
        let dropped = QUEUES.into_iter().filter_map(|(metric, name)| {
            let share = cell.mean(metric).filter(|share| *share >= CARRIED)?;
            Some(format!("{name} drops {:.0} %", share * 100.0))
        });
        let dropped: Vec<String> = dropped.collect();
        let share = cell.mean(SHARE)? * 100.0;
        let rate = rate(cell);
        Some(format!(
            "at {rate}/s {} and {share:.0} % of the clients are established",
            dropped.join(", ")
        ))
    });
    let full: Option<Vec<String>> = full.collect();
    let full = full?;
    Some(if full.is_empty() {
        "No flood filled the line or the processor.".to_owned()
    } else {
        format!(
            "A flood still wins where it fills the line, the line back (an INIT ACK is longer than \
             an INIT) or the processor: {}.",
            full.join("; ")
        )
    })
}

fn rate(cell: &Cell) -> f64 {
    cell.settings.number("flood_per_s")
}

#[cfg(test)]
mod tests;
