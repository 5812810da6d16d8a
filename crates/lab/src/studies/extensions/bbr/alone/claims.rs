use super::{DEEP, HALVED, NETWORKS, Network, SHALLOW, cell};
use crate::estimate::shown;
use crate::studies::extensions::bbr::{BBR, CUBIC, RENO};
use crate::{Evidence, Judgement, Rule, Summary};

/// Smallest ratio that counts as substantially more. Our choice.
const SUBSTANTIALLY: f64 = 1.5;
/// Smallest share of the rate that counts as all of it. Our choice.
const FULL: f64 = 0.9;
/// Longest queue that the draft allows, in bandwidth-delay products.
const QUEUE: f64 = 1.5;

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("EX-B1", losses),
        Rule::new("EX-B2", full),
        Rule::new("EX-B3", deep),
        Rule::new("EX-B4", objective),
        Rule::new("EX-B5", |summary| {
            let (parts, ours) = beside(summary, SHALLOW)?;
            Some(Judgement::counted(parts, ours))
        }),
        Rule::new("EX-B6", halved),
    ]
}

/// Tests whether BBR has substantially more throughput than each other control; also returns all
/// throughputs in words.
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
    let losing = NETWORKS.iter().filter(|network| network.loss > 0.0);
    Judgement::count_each(losing, |network| {
        let (both, told) = beside(summary, network.name)?;
        Some((vec![Evidence::all(both)], told))
    })
}

fn full(summary: &Summary) -> Option<Judgement> {
    Judgement::count_each(["loss 0.1 %", "loss 1 %"], |network| {
        let cell = cell(summary, network, BBR)?;
        let told = format!("{network}: {} of it", cell.estimate("share")?);
        Some((vec![cell.over("share", FULL)?], told))
    })
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
    Some(Judgement::counted(
        vec![Evidence::all(short), Evidence::all(fast)],
        ours,
    ))
}

fn objective(summary: &Summary) -> Option<Judgement> {
    let bbr = cell(summary, DEEP, BBR)?;
    let most = QUEUE * Network::named(DEEP).ok()?.round_trip();
    let high = bbr.estimate("queueing_p95_s")?;
    Some(Judgement::counted(
        vec![bbr.under("queueing_p95_s", most)?],
        format!("{high} s, of {} s", shown(most)),
    ))
}

fn halved(summary: &Summary) -> Option<Judgement> {
    let bbr = cell(summary, HALVED, BBR)?;
    let (share, queue) = (bbr.estimate("share")?, bbr.estimate("queueing_s")?);
    let most = QUEUE * Network::named(HALVED).ok()?.round_trip();
    Some(Judgement::counted(
        vec![bbr.over("share", FULL)?, bbr.under("queueing_s", most)?],
        format!("{share} of it is used; the queue is {queue} s"),
    ))
}
