//! The papers' tables, with our numbers.

mod path_length;

use super::claims::{ENDS, cell};
use super::plan::{LARGE, THROUGHPUT};
use super::variant::ALONE;
use crate::estimate::shown;
use crate::{Chart, Curve, Exhibit, Point, Summary, Table};

/// The exhibits that the study's text names, beside those that it states.
pub(in super::super) fn exhibits(which: &str, summary: &Summary) -> Vec<Exhibit> {
    if which == "processor time" {
        return vec![Exhibit::Chart(processor_time(summary))];
    }
    let mut exhibits = vec![Exhibit::Table(ablation(summary))];
    exhibits.extend(largest(summary).map(Exhibit::Note));
    exhibits.extend(path_length::table(summary).map(Exhibit::Table));
    exhibits.extend(path_length::note(summary).map(Exhibit::Note));
    exhibits
}

/// Each optimisation alone, compared with none.
fn ablation(summary: &Summary) -> Table {
    let head = [
        "12 KB messages",
        "throughput to classic",
        "sender's processor time to classic",
        "receiver's processor time to classic",
        "bytes in a packet",
    ];
    let title = "Each optimisation alone, median (least to most) of the rounds";
    let mut table = Table::new(title, &head).with_runs(THROUGHPUT, &[]);
    let Some(classic) = cell(summary, LARGE, "sctp-classic") else {
        return table;
    };
    for variant in ALONE.into_iter().chain(["sctp"]) {
        let Some(cell) = cell(summary, LARGE, variant) else {
            continue;
        };
        let ratio = |metric| {
            let ratios = cell.ratios(classic, metric);
            ratios.map_or_else(String::new, |ratios| ratios.to_string())
        };
        let packet = cell.estimate("interface_bytes_per_packet");
        table.push([
            variant.to_owned(),
            ratio("receive_mbit_per_s"),
            ratio("send_cpu_ns_per_byte"),
            ratio("receive_cpu_ns_per_byte"),
            packet.map_or_else(String::new, |packet| packet.to_string()),
        ]);
    }
    table
}

/// The most effective single optimisation, compared with all of them together.
fn largest(summary: &Summary) -> Option<String> {
    let metric = "receive_mbit_per_s";
    let classic = cell(summary, LARGE, "sctp-classic")?;
    let gain = |variant: &str| {
        let ratios = cell(summary, LARGE, variant)?.ratios(classic, metric)?;
        Some(ratios.median)
    };
    let alone = ALONE.iter();
    let alone = alone.filter_map(|variant| Some((*variant, gain(variant)?)));
    let (variant, most) = alone.max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some(format!(
        "Of the optimisations alone {variant} does most: {} times the throughput of sctp-classic, \
         where all together have {} times (medians).",
        shown(most),
        shown(gain("sctp")?)
    ))
}

/// The paper's figure of CPU use, as a multiple of TCP's.
fn processor_time(summary: &Summary) -> Chart {
    let title = "Deployment, figure 6: processor time for 12 KB messages, a multiple of TCP's";
    let chart = Chart::new(title, "end", "processor time for a byte, SCTP / TCP");
    let words = ["message_bytes = 12000", "connections = 1"];
    let mut chart = chart.with_runs(THROUGHPUT, &words).with_categories(&ENDS);
    for variant in ["sctp-classic", "sctp"] {
        let ratio = |end: &str| {
            let metric = format!("{end}_cpu_ns_per_byte");
            cell(summary, LARGE, variant)?.ratio(cell(summary, LARGE, "tcp")?, &metric)
        };
        let points = [(1.0, ENDS[0]), (2.0, ENDS[1])]
            .into_iter()
            .filter_map(|(at, end)| Some(Point::estimate(at, ratio(end)?)));
        chart.push(Curve::new(variant, points));
    }
    chart
}
