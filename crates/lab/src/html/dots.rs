//! The picture of a claim: the paper's ratio and ours, on the same axis for all claims.

use core::fmt::Write;

use super::put;
use crate::contrast::{Contrast, Printed};
use crate::escape::escaped;
use crate::estimate::shown;

/// Ends of the logarithmic axis; 1, no difference, is in the middle.
const ENDS: (f64, f64) = (0.1, 10.0);
const TICKS: [(f64, &str); 7] = [
    (0.1, "0.1"),
    (0.2, "0.2"),
    (0.5, "0.5"),
    (1.0, "1"),
    (2.0, "2"),
    (5.0, "5"),
    (10.0, "10×"),
];
const WIDTH: f64 = 240.0;
const MARGIN: f64 = 14.0;
/// Height of a row with a single ratio, and of a row shared by several, SVG units.
const ONE: f64 = 13.0;
const ALL: f64 = 40.0;
/// Factor by which the band for "about equal" extends to either side.
const NEAR: f64 = 1.05;

fn across(ratio: f64) -> f64 {
    let share = (ratio / ENDS.0).ln() / (ENDS.1 / ENDS.0).ln();
    MARGIN + share.clamp(0.0, 1.0) * (WIDTH - 2.0 * MARGIN)
}

/// The axis with its numbers, for the column header.
pub(super) fn axis() -> String {
    let mut out = format!("<svg class=\"dots\" viewBox=\"0 0 {WIDTH} 16\">");
    for (at, label) in TICKS {
        put!(
            out,
            "<text class=\"xtick\" x=\"{:.1}\" y=\"12\">{label}</text>",
            across(at)
        );
    }
    out + "</svg>"
}

/// The ratios of a claim, or a note that paper and study share no number.
pub(super) fn picture(own: &[&Contrast]) -> String {
    let Some(first) = own.first() else {
        return "<small class=\"none\">no shared number</small>".to_owned();
    };
    let step = (ALL / own.len() as f64).min(ONE);
    let height = (step * own.len() as f64).max(ONE) + 6.0;
    let mut out = format!(
        "<svg class=\"dots\" viewBox=\"0 0 {WIDTH} {height:.1}\" role=\"img\" aria-label=\"{}\">",
        escaped(&spoken(own))
    );
    for (at, _) in TICKS {
        let class = if at == 1.0 { "one" } else { "grid" };
        put!(
            out,
            "<path class=\"{class}\" d=\"M{:.1} 0V{height:.1}\"/>",
            across(at)
        );
    }
    for (number, one) in own.iter().enumerate() {
        let middle = 3.0 + step * (number as f64 + 0.5);
        papers(&mut out, one.paper, middle, step);
    }
    for (number, one) in own.iter().enumerate() {
        let middle = 3.0 + step * (number as f64 + 0.5);
        ours(&mut out, one, middle);
    }
    out.push_str("</svg>");
    let more = match own
        .iter()
        .filter(|one| one.quantity != first.quantity)
        .count()
    {
        0 => String::new(),
        _ => " and others".to_owned(),
    };
    put!(out, "<small>{}{more}</small>", escaped(&first.quantity));
    out
}

/// Draws the paper's ratio: a diamond for a number, a band for a range.
fn papers(out: &mut String, paper: Printed, middle: f64, step: f64) {
    let value = paper.value();
    let at = across(value);
    let band = match paper {
        Printed::Value(_) | Printed::Of(_) => None,
        Printed::Above(_) => Some((at, WIDTH - MARGIN)),
        Printed::Below(_) => Some((MARGIN, at)),
        Printed::Near(_) => Some((across(value / NEAR), across(value * NEAR))),
    };
    if let Some((from, to)) = band {
        put!(
            out,
            "<rect class=\"band\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            middle - step / 2.0,
            to - from,
            step
        );
        return;
    }
    let size = (step / 2.0).min(5.0);
    put!(
        out,
        "<path class=\"papers\" d=\"M{at:.1} {:.1}l{size:.1} {size:.1}l-{size:.1} {size:.1}l-{size:.1} -{size:.1}z\"/>",
        middle - size
    );
}

/// Draws our ratio: the mean and its interval, with an arrow if it extends beyond the axis.
fn ours(out: &mut String, one: &Contrast, middle: f64) {
    let Some(estimate) = one.ours else { return };
    let (low, high) = match estimate.half_width.is_finite() {
        true => (estimate.low().max(1e-9), estimate.high()),
        false => (estimate.mean, estimate.mean),
    };
    let (from, to, at) = (across(low), across(high), across(estimate.mean));
    put!(
        out,
        "<path class=\"interval\" d=\"M{from:.1} {middle:.1}H{to:.1}"
    );
    for (edge, beyond, end) in [(from, low < ENDS.0, -1.0), (to, high > ENDS.1, 1.0)] {
        if beyond {
            put!(
                out,
                "M{:.1} {:.1}L{:.1} {middle:.1}L{:.1} {:.1}",
                edge - 4.0 * end,
                middle - 3.0,
                edge,
                edge - 4.0 * end,
                middle + 3.0
            );
        }
    }
    put!(
        out,
        "\"/><circle class=\"ours\" cx=\"{at:.1}\" cy=\"{middle:.1}\" r=\"2.8\"><title>{}</title></circle>",
        escaped(&sentence(one))
    );
}

/// The paper's ratio as text.
pub(super) fn told(paper: Printed) -> String {
    let value = shown(paper.value());
    match paper {
        Printed::Value(_) => value,
        Printed::Of([one, other]) => format!("{value} ({one} / {other})"),
        Printed::Above(_) => format!("above {value}"),
        Printed::Below(_) => format!("below {value}"),
        Printed::Near(_) => format!("about {value}"),
    }
}

/// Our ratio as text.
pub(super) fn ours_told(one: &Contrast) -> String {
    let measured = one.ours.map(|estimate| estimate.to_string());
    measured.unwrap_or_else(|| "not measured".to_owned())
}

fn sentence(one: &Contrast) -> String {
    let at = match one.at.as_str() {
        "" => String::new(),
        at => format!(", {at}"),
    };
    let (quantity, paper) = (&one.quantity, told(one.paper));
    format!("{quantity}{at}: paper {paper}, ours {}", ours_told(one))
}

fn spoken(own: &[&Contrast]) -> String {
    let all: Vec<String> = own.iter().map(|one| sentence(one)).collect();
    all.join("; ")
}

/// Legend marks for the paper's ratio.
pub(super) const fn key_of_the_paper() -> &'static str {
    "<svg class=\"dots\" viewBox=\"0 0 34 12\" aria-hidden=\"true\"><rect class=\"band\" x=\"16\" \
     y=\"1\" width=\"16\" height=\"10\"/><path class=\"papers\" d=\"M8 1l5 5l-5 5l-5 -5z\"/></svg>"
}

/// Legend marks for our ratio.
pub(super) const fn key_of_ours() -> &'static str {
    "<svg class=\"dots\" viewBox=\"0 0 34 12\" aria-hidden=\"true\"><path class=\"interval\" \
     d=\"M3 6H31\"/><circle class=\"ours\" cx=\"17\" cy=\"6\" r=\"2.8\"/></svg>"
}

#[cfg(test)]
mod tests;
