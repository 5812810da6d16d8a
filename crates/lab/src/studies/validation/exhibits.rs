use super::causes::cause;
use super::live::packets::{APART, DIFFERENCE};
use super::pairs::{Pair, exchanges, twins, varied};
use super::{BULK, DYING, GILBERT, SAW_TOOTH, SCTP, TCP};
use crate::estimate::{joint, shown};
use crate::{Cell, Chart, Curve, Estimate, Exhibit, Point, Summary, Table};

/// The experiments with their transports.
const COMPARED: [(&str, &str); 7] = [
    (BULK, SCTP),
    (BULK, TCP),
    (GILBERT, SCTP),
    (GILBERT, TCP),
    (SAW_TOOTH, SCTP),
    (SAW_TOOTH, TCP),
    (DYING, SCTP),
];

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let all = COMPARED.map(|(experiment, transport)| Pair::all(summary, experiment, transport));
    let points = all.iter().flatten().filter(|pair| pair.ratio().is_some());
    let points = points.count();
    let mut exhibits = vec![Exhibit::Chart(ratios(&all[..2], points))];
    for pairs in &all {
        if let Some(first) = pairs.first() {
            exhibits.push(Exhibit::Table(table(first, pairs, points)));
        }
    }
    exhibits.extend(agreement(summary).map(Exhibit::Table));
    exhibits.extend(packet_for_packet(summary).map(Exhibit::Table));
    exhibits
}

/// An estimate as a table cell, empty if missing.
fn told(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(String::new, |estimate| estimate.to_string())
}

/// Live and simulated goodput, if both were run.
fn agreement(summary: &Summary) -> Option<Table> {
    let twins = twins(summary);
    let head = [
        "losses (%)",
        "live: goodput (Mb/s)",
        "simulated: goodput (Mb/s)",
        "ratio, joint interval",
        "timers were late by (ms)",
    ];
    let mut table = Table::new("Live agreement", &head);
    for (loss, live, simulated) in &twins {
        let ratio = live.ratio(simulated, "mbit_per_s");
        table.push([
            shown(*loss),
            told(live.estimate("mbit_per_s")),
            told(simulated.estimate("mbit_per_s")),
            told(ratio.map(|ratio| joint(ratio, twins.len()))),
            told(live.estimate("late_ms")),
        ]);
    }
    (!twins.is_empty()).then_some(table)
}

/// Live and simulated packets, if they were compared.
fn packet_for_packet(summary: &Summary) -> Option<Table> {
    let exchanges = exchanges(summary);
    let head = [
        "losses",
        "packets compared",
        "up to the first difference",
        "in both, in the same order",
        "between them, live only",
        "apart, median (ms)",
        "apart, most (ms)",
        "a first difference: live, not simulated",
    ];
    let mut table = Table::new("Live agreement, packet for packet", &head);
    for (losses, cell) in &exchanges {
        let difference = cell.note(DIFFERENCE).or_else(|| cell.skipped());
        table.push([
            (*losses).to_owned(),
            told(cell.estimate("packets")),
            told(cell.estimate("agreeing_packets")),
            told(cell.estimate("common_packets")),
            told(cell.estimate("further_packets")),
            told(cell.estimate(APART)),
            told(cell.estimate("apart_most_ms")),
            difference.unwrap_or("none").to_owned(),
        ]);
    }
    (!exchanges.is_empty()).then_some(table)
}

/// The ratio of goodputs over the loss rate.
fn ratios(all: &[Vec<Pair<'_>>], points: usize) -> Chart {
    let mut chart = Chart::new("Goodput, ours to ns-2's", "losses (%)", "ratio");
    for pairs in all {
        let Some(first) = pairs.first() else {
            continue;
        };
        let estimates = pairs.iter().filter_map(|pair| {
            let ratio = pair.ours.ratio(pair.theirs, pair.metric())?;
            Some(Point::estimate(pair.at, joint(ratio, points)))
        });
        chart.push(Curve::new(first.transport, estimates));
    }
    chart
}

fn table(first: &Pair<'_>, pairs: &[Pair<'_>], points: usize) -> Table {
    let of = varied(first.experiment);
    let (ours, theirs) = (
        format!("ours: {}", of.measured),
        format!("ns-2: {}", of.measured),
    );
    let mut head = vec![of.label, &ours, &theirs, "ratio, joint interval"];
    let has_lasting = pairs.iter().any(|pair| pair.ours_lasting.is_some());
    if has_lasting {
        head.push("ratio with ns-2's fast recovery");
    }
    head.push("cause of a difference above 5 %");
    let title = format!("{}, {}, beside ns-2", first.experiment, first.transport);
    let mut table = Table::new(&title, &head);
    for pair in pairs {
        let ratio_of = |ours: &Cell| {
            let ratio = ours.ratio(pair.theirs, pair.metric());
            ratio.map(|ratio| joint(ratio, points))
        };
        let ratio = ratio_of(pair.ours);
        let cause = ratio.map_or("", |ratio| cause(pair, ratio));
        let mut row = vec![
            shown(pair.at),
            told(pair.ours.estimate(pair.metric())),
            told(pair.theirs.estimate(pair.metric())),
            told(ratio),
        ];
        if has_lasting {
            row.push(told(pair.ours_lasting.and_then(ratio_of)));
        }
        row.push(cause.to_owned());
        table.push(row);
    }
    table
}
