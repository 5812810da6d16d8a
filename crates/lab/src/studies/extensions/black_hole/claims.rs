use super::{BLACK_HOLE, DISCOVERS, DROPS, PLAIN, REPORTS, SILENT, WIDE};
use crate::studies::extensions::NAME;
use crate::verdict::{Shown, at_each};
use crate::{Cell, Estimate, Rule, Settings, Summary};

/// Smallest share of the narrow path's capacity that counts as all of it. Our choice.
const NEARLY_ALL: f64 = 0.9;
/// Largest relative difference of throughputs that counts as equal. Our choice.
const EQUAL: f64 = 0.01;

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("EX-M1", detects),
        Rule::new("EX-M2", |summary| nothing_arrives(summary, PLAIN)),
        Rule::new("EX-M3", |summary| nothing_arrives(summary, DISCOVERS)),
        Rule::new("EX-M4", hints),
        Rule::new("EX-M5", costs),
    ]
}

pub(super) fn cell<'a>(
    summary: &'a Summary,
    mtu: f64,
    router: &str,
    transport: &str,
) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("mtu", mtu)
        .with("router", router)
        .with("transport", transport);
    summary.cell(NAME, BLACK_HOLE, &some)
}

/// The narrow MTUs in the records.
fn mtus(summary: &Summary) -> Option<Vec<f64>> {
    let mtus = summary.numbers(NAME, BLACK_HOLE, "mtu");
    (!mtus.is_empty()).then_some(mtus)
}

fn detects(summary: &Summary) -> Option<Shown> {
    at_each(mtus(summary)?, |mtu| {
        let cell = cell(summary, mtu, SILENT, DISCOVERS)?;
        let again = cell.values("again_s");
        let flows = again.len() == cell.values("bytes_after").len();
        let before = cell.mean("before_mbit_per_s")?;
        // Each packet has an IP header, a common header and a DATA header.
        let share = |mtu: f64| (mtu - 48.0) / mtu;
        let possible = before * share(mtu) / share(f64::from(WIDE));
        let pmtus = cell.values("pmtu");
        let near = pmtus.iter().all(|pmtu| *pmtu <= mtu && *pmtu > mtu - 8.0);
        let parts = [
            cell.every("bytes_after", flows),
            cell.over("last_mbit_per_s", NEARLY_ALL * possible)?,
            cell.every("pmtu", near),
        ];
        let again = cell.estimate("again_s");
        let again = again.map_or_else(|| "never".to_owned(), |s| s.to_string());
        let [after, before, pmtu] =
            ["last_mbit_per_s", "before_mbit_per_s", "pmtu"].map(|metric| cell.shown(metric));
        let told = format!(
            "{mtu} bytes: again after {again} s, then {after} Mb/s of {before} before, MTU {pmtu}"
        );
        Some((parts, told))
    })
}

/// Tests whether almost nothing arrives after the path MTU has shrunk.
fn nothing_arrives(summary: &Summary, transport: &str) -> Option<Shown> {
    at_each(mtus(summary)?, |mtu| {
        let cell = cell(summary, mtu, DROPS, transport)?;
        let stalls = cell.values("again_s").is_empty();
        let bytes = cell.estimate("bytes_after")?;
        let told = format!("{mtu} bytes: {bytes} bytes in the rest of the run");
        Some(([cell.every("bytes_after", stalls)], told))
    })
}

fn hints(summary: &Summary) -> Option<Shown> {
    at_each(mtus(summary)?, |mtu| {
        let sampled = cell(summary, mtu, REPORTS, DISCOVERS)?;
        let silent = cell(summary, mtu, SILENT, DISCOVERS)?;
        let (told, silent) = (sampled.values("again_s"), silent.values("again_s"));
        let sooner = told.iter().zip(&silent).all(|(told, silent)| told < silent);
        let sooner = sooner && !told.is_empty() && told.len() == silent.len();
        let mean = |all| Estimate::of(all).map_or_else(|| "never".to_owned(), |s| s.to_string());
        let (with, without) = (mean(&told), mean(&silent));
        let told = format!("{mtu} bytes: {with} s with reports, {without} s in silence");
        Some(([sampled.every("bytes_after", sooner)], told))
    })
}

fn costs(summary: &Summary) -> Option<Shown> {
    at_each(mtus(summary)?, |mtu| {
        let metric = "before_mbit_per_s";
        let on = cell(summary, mtu, SILENT, DISCOVERS)?;
        let off = cell(summary, mtu, SILENT, PLAIN)?;
        let (with, without) = (on.estimate(metric)?, off.estimate(metric)?);
        let told = format!("{with} Mb/s with, {without} without");
        Some(([on.is_near(off, metric, EQUAL)?], told))
    })
}
