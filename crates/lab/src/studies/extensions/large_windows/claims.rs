use super::{CUBIC, HIGH_SPEED, LARGE_WINDOWS, RENO, RTT, WINDOW};
use crate::estimate::shown;
use crate::studies::extensions::NAME;
use crate::{Cell, Claim, Evidence, Judgement, Ruling, Settings, Source, Summary};

/// Distance of a window from its formula that counts as near. Ours: the formulas are of periodic
/// losses.
const NEAR: f64 = 0.3;

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "EX-C1",
            statement: "CUBIC's average window is (C(3+b)/(4(1-b)))^(1/4) (RTT/p)^(3/4) packets, \
                        and New Reno's where that is larger",
            source: Source::Ours,
            paper: "RFC 9438 §5.1: at 0.1 s and p = 1e-4, 187 packets, and 120 of Reno",
            rule: "At each p, the mean window within 30 % (ours: losses are random here, and \
                   periodic there) of the larger of the formula and 1.2/sqrt(p). Reproduced if at \
                   all, partly if at some.",
            judge: |summary| follows(summary, CUBIC, |p| cubic(p).max(reno(p))),
        },
        Claim {
            id: "EX-C2",
            statement: "HighSpeed's average window is 0.12/p^0.835 packets, and New Reno's below \
                        38 packets",
            source: Source::Ours,
            paper: "RFC 3649 §5: at p = 1e-4, 263 packets",
            rule: "At each p, the mean window within 30 % (ours, as in EX-C1) of the larger of \
                   0.12/p^0.835 and 1.2/sqrt(p). Reproduced if at all, partly if at some.",
            judge: |summary| follows(summary, HIGH_SPEED, |p| high_speed(p).max(reno(p))),
        },
        Claim {
            id: "EX-C3",
            statement: "CUBIC uses more of fast and long paths than New Reno",
            source: Source::Ours,
            paper: "RFC 9438 §1: without figures of its own",
            rule: "At the least p that was run, CUBIC's throughput above New Reno's beyond doubt \
                   (95 %, pair by pair).",
            judge: above_reno,
        },
    ]
}

/// RFC 9438 §5.1, with C = 0.4 and b = 0.7.
pub(super) fn cubic(p: f64) -> f64 {
    (0.4_f64 * 3.7 / (4.0 * 0.3)).powf(0.25) * (RTT / p).powf(0.75)
}

/// RFC 3649 §5.
pub(super) fn high_speed(p: f64) -> f64 {
    0.12 / p.powf(0.835)
}

/// RFC 3649 §5.
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
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for p in rates(summary)? {
        let cell = cell(summary, p, control)?;
        let (window, expected) = (cell.estimate(WINDOW)?, formula(p));
        let near = (expected * (1.0 - NEAR), expected * (1.0 + NEAR));
        parts.push(cell.within(WINDOW, near)?);
        ours.push(format!(
            "p = {p}: {window} packets, formula {}",
            shown(expected)
        ));
    }
    let why = Evidence::counted(&parts);
    Some(Judgement {
        ruling: Ruling::of(parts),
        ours: ours.join("; "),
        why,
    })
}

fn above_reno(summary: &Summary) -> Option<Judgement> {
    let p = rates(summary)?.into_iter().fold(f64::INFINITY, f64::min);
    let (one, other) = (cell(summary, p, CUBIC)?, cell(summary, p, RENO)?);
    Some(Judgement {
        ruling: Ruling::of(vec![one.is_above(other, "mbit_per_s")?]),
        ours: format!(
            "p = {p}: {} Mb/s, New Reno {} Mb/s",
            one.estimate("mbit_per_s")?,
            other.estimate("mbit_per_s")?
        ),
        why: format!("The ratio is {}.", one.ratio(other, "mbit_per_s")?),
    })
}
