use super::{BLACK_HOLE, DISCOVERS, DROPS, NARROW, PLAIN, REPORTS, SILENT, WIDE};
use crate::studies::extensions::NAME;
use crate::{Cell, Estimate, Judgement, Rule, Settings, Summary};

/// Smallest share of the narrow path's capacity that counts as all of it. Our choice.
const NEARLY_ALL: f64 = 0.9;
/// Largest relative difference of throughputs that counts as equal. Our choice.
const EQUAL: f64 = 0.01;

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("EX-M1", detects),
        Rule::new("EX-M2", stalls),
        Rule::new("EX-M3", cut_chunks),
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
fn mtus(summary: &Summary) -> Vec<f64> {
    summary.numbers(NAME, BLACK_HOLE, "mtu")
}

fn detects(summary: &Summary) -> Option<Judgement> {
    let why = "T3-rtx expires twice, after 1 s and, backed off, 2 s more; a probe of 1200 bytes is \
               answered between, and larger ones are tried from there. Chunks that were cut before \
               travel in fragments.";
    Judgement::of_each(mtus(summary), why, |mtu| {
        let cell = cell(summary, mtu, SILENT, DISCOVERS)?;
        let again = cell.values("again_s");
        let flows = again.len() == cell.values("bytes_after").len();
        let before = cell.mean("before_mbit_per_s")?;
        // Each packet has an IP header, a common header and a DATA header.
        let share = |mtu: f64| (mtu - 48.0) / mtu;
        let possible = before * share(mtu) / share(f64::from(WIDE));
        let pmtus = cell.values("pmtu");
        let near = pmtus.iter().all(|pmtu| *pmtu <= mtu && *pmtu > mtu - 8.0);
        let parts = vec![
            cell.every("bytes_after", flows),
            cell.over("last_mbit_per_s", NEARLY_ALL * possible)?,
            cell.every("pmtu", near),
        ];
        let told = format!(
            "{mtu} bytes: again after {} s, then {} Mb/s of {} before, MTU {}",
            cell.estimate("again_s")
                .map_or_else(|| "never".to_owned(), |s| s.to_string()),
            cell.estimate("last_mbit_per_s")?,
            cell.estimate("before_mbit_per_s")?,
            cell.estimate("pmtu")?
        );
        Some((parts, told))
    })
}

/// Tests whether almost nothing arrives after the path MTU has shrunk.
fn nothing_arrives(summary: &Summary, transport: &str, why: &str) -> Option<Judgement> {
    Judgement::of_each(mtus(summary), why, |mtu| {
        let cell = cell(summary, mtu, DROPS, transport)?;
        let stalls = cell.values("again_s").is_empty();
        let after = cell.estimate("bytes_after")?;
        let told = format!("{mtu} bytes: {after} bytes in the rest of the run");
        Some((vec![cell.every("bytes_after", stalls)], told))
    })
}

fn stalls(summary: &Summary) -> Option<Judgement> {
    nothing_arrives(
        summary,
        PLAIN,
        "All packets with data are as long as before; heartbeats are short, and their answers \
         keep the association from being given up.",
    )
}

fn cut_chunks(summary: &Summary) -> Option<Judgement> {
    nothing_arrives(
        summary,
        DISCOVERS,
        "Shorter packets are found to get through, but the chunks that were in flight have their \
         TSNs and go first: they are too long for any packet, and their fragments are dropped.",
    )
}

fn hints(summary: &Summary) -> Option<Judgement> {
    let why = "The message comes within a round trip; the black hole shows after two timeouts.";
    Judgement::of_each(mtus(summary), why, |mtu| {
        let sampled = cell(summary, mtu, REPORTS, DISCOVERS)?;
        let silent = cell(summary, mtu, SILENT, DISCOVERS)?;
        let (told, silent) = (sampled.values("again_s"), silent.values("again_s"));
        let sooner = told.iter().zip(&silent).all(|(told, silent)| told < silent);
        let sooner = sooner && !told.is_empty() && told.len() == silent.len();
        let mean = |all| Estimate::of(all).map_or_else(|| "never".to_owned(), |s| s.to_string());
        let (told, silent) = (mean(&told), mean(&silent));
        let told = format!("{mtu} bytes: {told} s with reports, {silent} s in silence");
        Some((vec![sampled.every("bytes_after", sooner)], told))
    })
}

fn costs(summary: &Summary) -> Option<Judgement> {
    let why = format!(
        "A few probes of more than {WIDE} bytes are dropped at once; no window heeds them. \
         Narrow MTUs: {}.",
        NARROW.map(|mtu| mtu.to_string()).join(", ")
    );
    Judgement::of_each(mtus(summary), why, |mtu| {
        let metric = "before_mbit_per_s";
        let on = cell(summary, mtu, SILENT, DISCOVERS)?;
        let off = cell(summary, mtu, SILENT, PLAIN)?;
        let near = on.is_near(off, metric, EQUAL)?;
        let (on, off) = (on.estimate(metric)?, off.estimate(metric)?);
        Some((vec![near], format!("{on} Mb/s with, {off} without")))
    })
}
