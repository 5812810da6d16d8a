use super::{LOSSES, RACK, REORDERING, REPORTS, TAILS, TIME_AND_TAILS};
use crate::estimate::shown;
use crate::studies::extensions::NAME;
use crate::{Cell, Evidence, Judgement, Rule, Settings, Summary, TIE};

/// Reordering that RFC 8985 tolerates at first, milliseconds: a quarter of the round trip (§6.2).
const QUARTER: f64 = 5.0;
/// Largest acceptable share of spurious retransmissions. Our choice.
const FEW: f64 = 0.02;
/// Smallest acceptable ratio of goodput to the square-root law's. Our choice.
const NEAR: f64 = 0.8;
/// Round-trip time, seconds.
const RTT: f64 = 0.02;

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("EX-R1", reordering),
        Rule::new("EX-R2", tails),
        Rule::new("EX-R3", losses),
    ]
}

pub(super) fn cell<'a>(
    summary: &'a Summary,
    scene: &str,
    amount: f64,
    detection: &str,
) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("scene", scene)
        .with("amount", amount)
        .with("detection", detection);
    summary.cell(NAME, TIME_AND_TAILS, &some)
}

pub(super) fn amounts(summary: &Summary, scene: &str) -> Vec<f64> {
    let amounts = summary.numbers(NAME, TIME_AND_TAILS, "amount").into_iter();
    let run = amounts.filter(|amount| cell(summary, scene, *amount, RACK).is_some());
    run.collect()
}

fn reordering(summary: &Summary) -> Option<Judgement> {
    Judgement::count_each(amounts(summary, REORDERING), |extra| {
        let rack = cell(summary, REORDERING, extra, RACK)?;
        let reports = cell(summary, REORDERING, extra, REPORTS)?;
        let most = if extra <= QUARTER { 0.0 } else { FEW };
        let share = rack.mean("needless")? / rack.mean("chunks_sent")?;
        let few = if most == 0.0 {
            rack.every("needless", share == 0.0)
        } else {
            let counts = [(rack, "needless"), (rack, "chunks_sent")];
            Evidence::contrast(counts, |[needless, sent]| most * sent - needless)?
        };
        let told = format!(
            "{extra} ms: {} % needless and {} Mb/s, with missing reports {} % and {} Mb/s",
            shown(100.0 * share),
            rack.estimate("mbit_per_s")?,
            shown(100.0 * reports.mean("needless")? / reports.mean("chunks_sent")?),
            reports.estimate("mbit_per_s")?
        );
        Some((vec![few, rack.is_above(reports, "mbit_per_s")?], told))
    })
}

fn tails(summary: &Summary) -> Option<Judgement> {
    let rack = cell(summary, TAILS, 1.0, RACK)?;
    let reports = cell(summary, TAILS, 1.0, REPORTS)?;
    let parts = vec![
        rack.is_below(reports, "timeouts")?,
        rack.is_below(reports, "delay_mean_s")?,
    ];
    let told = |cell: &Cell| {
        Some(format!(
            "{} timeouts, delay {} s on average and {} s at 99 %",
            cell.estimate("timeouts")?,
            cell.estimate("delay_mean_s")?,
            cell.estimate("delay_p99_s")?
        ))
    };
    let ours = [
        format!("rack: {}", told(rack)?),
        format!("missing reports: {}", told(reports)?),
    ];
    Some(Judgement::counted(parts, ours.join("; ")))
}

/// Goodput by the square-root law at a loss of `percent`, Mb/s.
pub(super) fn law(percent: f64) -> f64 {
    let window = (1.5 / (percent / 100.0)).sqrt();
    window / RTT * super::CHUNK as f64 * 8e-6
}

fn losses(summary: &Summary) -> Option<Judgement> {
    Judgement::count_each(amounts(summary, LOSSES), |percent| {
        let rack = cell(summary, LOSSES, percent, RACK)?;
        let reports = cell(summary, LOSSES, percent, REPORTS)?;
        let parts = vec![
            rack.every("timeouts", rack.mean("timeouts")? == 0.0),
            rack.over("mbit_per_s", NEAR * law(percent))?,
            rack.exceeds(reports, "mbit_per_s", 1.0 - TIE)?,
        ];
        let told = format!(
            "{percent} %: {} Mb/s and {} timeouts, law {} Mb/s; with missing reports {} and {}",
            rack.estimate("mbit_per_s")?,
            rack.estimate("timeouts")?,
            shown(law(percent)),
            reports.estimate("mbit_per_s")?,
            reports.estimate("timeouts")?
        );
        Some((parts, told))
    })
}
