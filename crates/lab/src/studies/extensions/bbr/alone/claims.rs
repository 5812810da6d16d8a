use super::{DEEP, HALVED, NETWORKS, Network, SHALLOW, cell};
use crate::estimate::shown;
use crate::studies::extensions::bbr::{BBR, CUBIC, RENO};
use crate::{Claim, Evidence, Judgement, Ruling, Source, Summary};

/// Ratio that counts as substantially more. Ours.
const SUBSTANTIALLY: f64 = 1.5;
/// Share of the rate that counts as all of it. Ours.
const FULL: f64 = 0.9;
/// Longest queue that the draft wants, bandwidth-delay products.
const QUEUE: f64 = 1.5;

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "EX-B1",
            statement: "BBR has substantially more throughput than New Reno and CUBIC where packets \
                        are lost at random",
            source: Source::Ours,
            paper: "draft-ietf-ccwg-bbr-06, abstract: without a figure",
            rule: "At each of the three loss rates: throughput at least 1.5 times (ours) that of \
                   both, pair by pair. Reproduced if at all, \
                   partly if at some.",
            judge: losses,
        },
        Claim {
            id: "EX-B2",
            statement: "BBR has the full throughput up to an average loss of 1 %",
            source: Source::Ours,
            paper: "draft-ietf-ccwg-bbr-06 §3.1",
            rule: "At 0.1 % and at 1 %: at least 90 % (ours) of what the link can carry of user \
                   data. Reproduced if at both, partly if at one.",
            judge: full,
        },
        Claim {
            id: "EX-B3",
            statement: "in deep buffers BBR's queueing delay is substantially lower, at the same \
                        throughput",
            source: Source::Ours,
            paper: "draft-ietf-ccwg-bbr-06, abstract: without a figure",
            rule: "Two parts: the mean delays of New Reno and of CUBIC both at least 1.5 times \
                   (ours) BBR's and above it beyond doubt; BBR's throughput at least 95 % (ours) of \
                   theirs. Reproduced if both hold, partly if one.",
            judge: deep,
        },
        Claim {
            id: "EX-B4",
            statement: "BBR's queue is no longer than 1.5 bandwidth-delay products",
            source: Source::Ours,
            paper: "draft-ietf-ccwg-bbr-06 §3.2: an objective",
            rule: "In the deep buffer, 95 % of the time (ours): below 1.5 round trips.",
            judge: objective,
        },
        Claim {
            id: "EX-B5",
            statement: "BBR has substantially more throughput than New Reno and CUBIC over long, \
                        fast links with shallow buffers",
            source: Source::Ours,
            paper: "draft-ietf-ccwg-bbr-06, abstract and §1: without a figure",
            rule: "Throughput at least 1.5 times (ours) that of both, and above it beyond doubt. \
                   Reproduced if of both, partly if of one.",
            judge: |summary| {
                let (parts, ours) = beside(summary, SHALLOW)?;
                Some(judged(parts, ours))
            },
        },
        Claim {
            id: "EX-B6",
            statement: "when the rate of the link falls, BBR's estimate follows it down",
            source: Source::Ours,
            paper: "draft-ietf-ccwg-bbr-06, Appendix A.16: a test that implementations are to pass",
            rule: "From 5 s to 10 s after the rate was halved (ours): at least 90 % of what is left \
                   is used, and the mean queue is below 1.5 of its round trips. Reproduced if both \
                   hold, partly if one.",
            judge: halved,
        },
    ]
}

fn judged(parts: Vec<Evidence>, ours: String) -> Judgement {
    let why = Evidence::counted(&parts);
    Judgement {
        ruling: Ruling::of(parts),
        ours,
        why,
    }
}

/// Whether BBR has substantially more than each of the others there, and what all have.
fn beside(summary: &Summary, network: &str) -> Option<(Vec<Evidence>, String)> {
    let bbr = cell(summary, network, BBR)?;
    let mut ours = format!("{network}: BBR {} Mb/s", bbr.estimate("mbit_per_s")?);
    let mut parts = Vec::new();
    for (control, name) in [(CUBIC, "CUBIC"), (RENO, "New Reno")] {
        let other = cell(summary, network, control)?;
        parts.push(bbr.exceeds(other, "mbit_per_s", SUBSTANTIALLY)?);
        ours += &format!(", {name} {}", other.estimate("mbit_per_s")?);
    }
    Some((parts, ours))
}

fn losses(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for network in NETWORKS.iter().filter(|network| network.loss > 0.0) {
        let (both, told) = beside(summary, network.name)?;
        parts.push(Evidence::all(both));
        ours.push(told);
    }
    Some(judged(parts, ours.join("; ")))
}

fn full(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for network in ["loss 0.1 %", "loss 1 %"] {
        let cell = cell(summary, network, BBR)?;
        parts.push(cell.over("share", FULL)?);
        ours.push(format!("{network}: {} of it", cell.estimate("share")?));
    }
    Some(judged(parts, ours.join("; ")))
}

fn deep(summary: &Summary) -> Option<Judgement> {
    let bbr = cell(summary, DEEP, BBR)?;
    let (mut short, mut fast) = (Vec::new(), Vec::new());
    let mut ours = format!("BBR {} s", bbr.estimate("queueing_s")?);
    for (control, name) in [(CUBIC, "CUBIC"), (RENO, "New Reno")] {
        let other = cell(summary, DEEP, control)?;
        short.push(other.exceeds(bbr, "queueing_s", SUBSTANTIALLY)?);
        fast.push(bbr.exceeds(other, "mbit_per_s", 0.95)?);
        ours += &format!(", {name} {} s", other.estimate("queueing_s")?);
        ours += &format!(" ({} Mb/s", bbr.estimate("mbit_per_s")?);
        ours += &format!(" beside {})", other.estimate("mbit_per_s")?);
    }
    Some(judged(
        vec![Evidence::all(short), Evidence::all(fast)],
        ours,
    ))
}

fn objective(summary: &Summary) -> Option<Judgement> {
    let bbr = cell(summary, DEEP, BBR)?;
    let most = QUEUE * Network::named(DEEP).ok()?.round_trip();
    let high = bbr.estimate("queueing_p95_s")?;
    Some(judged(
        vec![bbr.under("queueing_p95_s", most)?],
        format!("{high} s, of {} s", shown(most)),
    ))
}

fn halved(summary: &Summary) -> Option<Judgement> {
    let bbr = cell(summary, HALVED, BBR)?;
    let (share, queue) = (bbr.estimate("share")?, bbr.estimate("queueing_s")?);
    let most = QUEUE * Network::named(HALVED).ok()?.round_trip();
    Some(judged(
        vec![bbr.over("share", FULL)?, bbr.under("queueing_s", most)?],
        format!("{share} of it is used; the queue is {queue} s"),
    ))
}
