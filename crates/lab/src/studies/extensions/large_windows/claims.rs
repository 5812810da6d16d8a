use super::{CUBIC, HIGH_SPEED, LARGE_WINDOWS, RENO, RTT, WINDOW};
use crate::estimate::shown;
use crate::studies::extensions::NAME;
use crate::{Cell, Judgement, Rule, Settings, Summary};

/// Largest relative deviation from a formula that counts as near. Our choice: the formulas assume
/// periodic losses.
const NEAR: f64 = 0.3;

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("EX-C1", |summary| {
            follows(summary, CUBIC, |p| cubic(p).max(reno(p)))
        }),
        Rule::new("EX-C2", |summary| {
            follows(summary, HIGH_SPEED, |p| high_speed(p).max(reno(p)))
        }),
        Rule::new("EX-C3", above_reno),
    ]
}

/// CUBIC's mean window (RFC 9438 §5.1), with C = 0.4 and b = 0.7.
pub(super) fn cubic(p: f64) -> f64 {
    (0.4_f64 * 3.7 / (4.0 * 0.3)).powf(0.25) * (RTT / p).powf(0.75)
}

/// HighSpeed's mean window (RFC 3649 §5).
pub(super) fn high_speed(p: f64) -> f64 {
    0.12 / p.powf(0.835)
}

/// New Reno's mean window (RFC 3649 §5).
pub(super) fn reno(p: f64) -> f64 {
    1.2 / p.sqrt()
}

pub(super) fn cell<'a>(summary: &'a Summary, p: f64, control: &str) -> Option<&'a Cell> {
    let some = Settings::new().with("p", p).with("control", control);
    summary.cell(NAME, LARGE_WINDOWS, &some)
}

fn rates(summary: &Summary) -> Option<Vec<f64>> {
    let rates = summary.numbers(NAME, LARGE_WINDOWS, "p");
    (!rates.is_empty()).then_some(rates)
}

fn follows(summary: &Summary, control: &str, formula: fn(f64) -> f64) -> Option<Judgement> {
    Judgement::count_each(rates(summary)?, |p| {
        let cell = cell(summary, p, control)?;
        let (window, expected) = (cell.estimate(WINDOW)?, formula(p));
        let near = (expected * (1.0 - NEAR), expected * (1.0 + NEAR));
        let told = format!("p = {p}: {window} packets, formula {}", shown(expected));
        Some((vec![cell.within(WINDOW, near)?], told))
    })
}

fn above_reno(summary: &Summary) -> Option<Judgement> {
    let p = rates(summary)?.into_iter().fold(f64::INFINITY, f64::min);
    let (one, other) = (cell(summary, p, CUBIC)?, cell(summary, p, RENO)?);
    Some(Judgement::new(
        vec![one.is_above(other, "mbit_per_s")?],
        format!(
            "p = {p}: {} Mb/s, New Reno {} Mb/s",
            one.estimate("mbit_per_s")?,
            other.estimate("mbit_per_s")?
        ),
        format!("The ratio is {}.", one.ratio(other, "mbit_per_s")?),
    ))
}
