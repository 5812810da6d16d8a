use super::claims::{cell, cubic, high_speed, reno};
use super::{CONTROLS, CUBIC, HIGH_SPEED, LARGE_WINDOWS, WINDOW};
use crate::estimate::shown;
use crate::studies::extensions::NAME;
use crate::{Exhibit, Summary, Table};

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let head = [
        "p",
        "congestion control",
        "window (packets)",
        "formula",
        "Mb/s",
        "timeouts",
    ];
    let mut table = Table::new("Random losses at 1 Gb/s and 0.1 s", &head);
    for p in summary.numbers(NAME, LARGE_WINDOWS, "p") {
        for control in CONTROLS {
            let Some(cell) = cell(summary, p, control) else {
                continue;
            };
            let formula = match control {
                CUBIC => cubic(p).max(reno(p)),
                HIGH_SPEED => high_speed(p).max(reno(p)),
                _ => reno(p),
            };
            let of = |metric| cell.shown(metric);
            table.push([
                p.to_string(),
                control.to_owned(),
                of(WINDOW),
                shown(formula),
                of("mbit_per_s"),
                of("timeouts"),
            ]);
        }
    }
    vec![Exhibit::Table(table)]
}
