use super::{DEEP, HALVED, NETWORKS, Network, SHALLOW, cell};
use crate::estimate::shown;
use crate::studies::extensions::bbr::{BBR, CUBIC, RENO};
use crate::{Claim, Judgement, Summary, Verdict};

/// How much more is substantially more. Ours.
const SUBSTANTIALLY: f64 = 1.5;
/// What share of the rate is all of it. Ours.
const FULL: f64 = 0.9;
/// How long a queue the draft wants at most, bandwidth-delay products.
const QUEUE: f64 = 1.5;

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "EX-B1",
            statement: "BBR has substantially more throughput than New Reno and CUBIC where packets \
                        are lost at random",
            paper: "draft-ietf-ccwg-bbr-06, abstract: without a figure",
            rule: "At each of the three loss rates: throughput at least 1.5 times (ours) that of \
                   both, and above it beyond doubt (95 %, pair by pair). Reproduced if at all, \
                   partly if at some.",
            judge: losses,
        },
        Claim {
            id: "EX-B2",
            statement: "BBR has the full throughput up to an average loss of 1 %",
            paper: "draft-ietf-ccwg-bbr-06 §3.1",
            rule: "At 0.1 % and at 1 %: at least 90 % (ours) of what the link can carry of user \
                   data. Reproduced if at both, partly if at one.",
            judge: full,
        },
        Claim {
            id: "EX-B3",
            statement: "in deep buffers BBR's queueing delay is substantially lower, at the same \
                        throughput",
            paper: "draft-ietf-ccwg-bbr-06, abstract: without a figure",
            rule: "Two parts: the mean delays of New Reno and of CUBIC both at least 1.5 times \
                   (ours) BBR's and above it beyond doubt; BBR's throughput at least 95 % (ours) of \
                   theirs. Reproduced if both hold, partly if one.",
            judge: deep,
        },
        Claim {
            id: "EX-B4",
            statement: "BBR's queue is no longer than 1.5 bandwidth-delay products",
            paper: "draft-ietf-ccwg-bbr-06 §3.2: an objective",
            rule: "In the deep buffer, 95 % of the time (ours): below 1.5 round trips.",
            judge: objective,
        },
        Claim {
            id: "EX-B5",
            statement: "BBR has substantially more throughput than New Reno and CUBIC over long, \
                        fast links with shallow buffers",
            paper: "draft-ietf-ccwg-bbr-06, abstract and §1: without a figure",
            rule: "Throughput at least 1.5 times (ours) that of both, and above it beyond doubt. \
                   Reproduced if of both, partly if of one.",
            judge: |summary| {
                let (parts, ours) = beside(summary, SHALLOW)?;
                Some(judged(&parts, ours))
            },
        },
        Claim {
            id: "EX-B6",
            statement: "when the rate of the link falls, BBR's estimate follows it down",
            paper: "draft-ietf-ccwg-bbr-06, Appendix A.16: a test that implementations are to pass",
            rule: "From 5 s to 10 s after the rate was halved (ours): at least 90 % of what is left \
                   is used, and the mean queue is below 1.5 of its round trips. Reproduced if both \
                   hold, partly if one.",
            judge: halved,
        },
    ]
}

fn judged(parts: &[bool], ours: String) -> Judgement {
    let holding = parts.iter().filter(|holds| **holds).count();
    Judgement {
        verdict: Verdict::of(parts),
        ours,
        why: format!("{holding} of {} parts hold.", parts.len()),
    }
}

/// Whether BBR has substantially more than each of the others there, and what all have.
fn beside(summary: &Summary, network: &str) -> Option<(Vec<bool>, String)> {
    let bbr = cell(summary, network, BBR)?;
    let mut ours = format!("{network}: BBR {} Mb/s", shown(bbr.mean("mbit_per_s")?));
    let mut parts = Vec::new();
    for (control, name) in [(CUBIC, "CUBIC"), (RENO, "New Reno")] {
        let other = cell(summary, network, control)?;
        let pairs = bbr.against(other, "mbit_per_s")?;
        parts.push(pairs.is_above() && pairs.ratio >= SUBSTANTIALLY);
        ours += &format!(", {name} {}", shown(other.mean("mbit_per_s")?));
    }
    Some((parts, ours))
}

fn losses(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for network in NETWORKS.iter().filter(|network| network.loss > 0.0) {
        let (both, told) = beside(summary, network.name)?;
        parts.push(both.iter().all(|holds| *holds));
        ours.push(told);
    }
    Some(judged(&parts, ours.join("; ")))
}

fn full(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for network in ["loss 0.1 %", "loss 1 %"] {
        let share = cell(summary, network, BBR)?.mean("share")?;
        parts.push(share >= FULL);
        ours.push(format!("{network}: {} of it", shown(share)));
    }
    Some(judged(&parts, ours.join("; ")))
}

fn deep(summary: &Summary) -> Option<Judgement> {
    let bbr = cell(summary, DEEP, BBR)?;
    let (mut short, mut fast) = (true, true);
    let mut ours = format!("BBR {} s", shown(bbr.mean("queueing_s")?));
    for (control, name) in [(CUBIC, "CUBIC"), (RENO, "New Reno")] {
        let other = cell(summary, DEEP, control)?;
        let delays = other.against(bbr, "queueing_s")?;
        short &= delays.ratio >= SUBSTANTIALLY && delays.difference.low() >= 0.0;
        fast &= bbr.mean("mbit_per_s")? >= 0.95 * other.mean("mbit_per_s")?;
        ours += &format!(", {name} {} s", shown(other.mean("queueing_s")?));
        ours += &format!(" ({} Mb/s", shown(bbr.mean("mbit_per_s")?));
        ours += &format!(" beside {})", shown(other.mean("mbit_per_s")?));
    }
    Some(judged(&[short, fast], ours))
}

fn objective(summary: &Summary) -> Option<Judgement> {
    let high = cell(summary, DEEP, BBR)?.mean("queueing_p95_s")?;
    let round_trip = Network::named(DEEP).ok()?.round_trip();
    Some(judged(
        &[high <= QUEUE * round_trip],
        format!("{} s, of {} s", shown(high), shown(QUEUE * round_trip)),
    ))
}

fn halved(summary: &Summary) -> Option<Judgement> {
    let bbr = cell(summary, HALVED, BBR)?;
    let (share, queue) = (bbr.mean("share")?, bbr.mean("queueing_s")?);
    let round_trip = Network::named(HALVED).ok()?.round_trip();
    Some(judged(
        &[share >= FULL, queue <= QUEUE * round_trip],
        format!(
            "{} of it is used; the queue is {} s",
            shown(share),
            shown(queue)
        ),
    ))
}
