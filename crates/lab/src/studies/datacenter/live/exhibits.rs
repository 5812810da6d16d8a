//! The papers' tables, with our numbers.

mod path_length;

use super::claims::{ENDS, cell};
use super::plan::{
    ASSOCIATIONS, ASSOCIATIONS_APART, FOUR, FOUR_BY_TWO, LARGE, NARROW, SMALL, STREAMS,
    STREAMS_APART, THROUGHPUT, TINY, Work, several,
};
use super::variant::ALONE;
use crate::estimate::shown;
use crate::{Cell, Chart, Curve, Exhibit, Point, Summary, Table};

pub(in super::super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let mut exhibits = vec![
        Exhibit::Table(tables(summary)),
        Exhibit::Table(ablation(summary)),
    ];
    exhibits.extend(largest(summary).map(Exhibit::Note));
    exhibits.extend(path_length::table(summary).map(Exhibit::Table));
    exhibits.extend(path_length::note(summary).map(Exhibit::Note));
    let note = "Where only one SACK is sent for 7 packets and Max.Burst is still 4, a sender may \
                have to wait for the delayed SACK (200 ms): that column stalls where the others do \
                not. Processor time is what the system books to each process, with the interrupts \
                that come in while it runs.";
    exhibits.push(Exhibit::Note(note.to_owned()));
    exhibits.push(Exhibit::Chart(processor_time(summary)));
    exhibits.push(Exhibit::Chart(scaling(summary)));
    exhibits.push(Exhibit::Chart(without_delay(summary)));
    exhibits
}

/// The table of all workloads of the papers.
fn tables(summary: &Summary) -> Table {
    let head = [
        "work",
        "variant",
        "send (Mb/s)",
        "CPU (%)",
        "instructions for a message, with the kernel's",
        "cycles for an instruction",
        "receive (Mb/s)",
        "CPU (%)",
        "instructions for a message, with the kernel's",
        "cycles for an instruction",
    ];
    let mut table = Table::new("Throughput and processor time at both ends", &head);
    table = table.with_runs(THROUGHPUT, &[]);
    let classic = "sctp-classic";
    let mut rows: Vec<(Work, &str)> = Vec::new();
    for variant in ["tcp", classic, "sctp", "sctp, CRC32c"] {
        rows.push((LARGE, variant));
    }
    rows.extend(["tcp, segmentation", "sctp, segmentation"].map(|variant| (LARGE, variant)));
    rows.extend(["tcp", classic, "sctp"].map(|variant| (NARROW, variant)));
    for work in SMALL {
        rows.extend(["tcp", classic, "tcp, no delay", "sctp"].map(|variant| (work, variant)));
    }
    for work in TINY {
        rows.extend(["tcp", classic, "sctp"].map(|variant| (work, variant)));
    }
    rows.push((FOUR, "tcp"));
    rows.extend([classic, "sctp"].map(|variant| (FOUR_BY_TWO, variant)));
    for variant in [classic, "sctp"] {
        rows.extend([(STREAMS, variant), (ASSOCIATIONS, variant)]);
    }
    rows.extend([STREAMS_APART, ASSOCIATIONS_APART].map(|work| (work, "sctp")));
    for (work, variant) in rows {
        if let Some(cell) = cell(summary, work, variant) {
            table.push(row(work, variant, cell));
        }
    }
    table
}

fn row(work: Work, variant: &str, cell: &Cell) -> Vec<String> {
    let mut row = vec![work.described(), variant.to_owned()];
    for end in ENDS {
        for what in ["mbit_per_s", "cpu_percent", "path_length", "cpi"] {
            let estimate = cell.estimate(&format!("{end}_{what}"));
            row.push(estimate.map_or_else(String::new, |estimate| estimate.to_string()));
        }
    }
    row
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

/// The paper's figure of small messages sent without Nagle's delay.
fn without_delay(summary: &Summary) -> Chart {
    let title = "Deployment, figure 8: 128-byte messages without delay, sent";
    let chart = Chart::new(title, "receive window (KiB)", "sent (Mbit/s)");
    let mut chart = chart.with_runs(THROUGHPUT, &["message_bytes = 128"]);
    for variant in ["tcp, no delay", "sctp-classic", "sctp"] {
        let points = SMALL.into_iter().filter_map(|work| {
            let estimate = cell(summary, work, variant)?.estimate("send_mbit_per_s")?;
            Some(Point::estimate(f64::from(work.buffer_kib), estimate))
        });
        chart.push(Curve::new(variant, points));
    }
    chart
}

fn scaling(summary: &Summary) -> Chart {
    let title = "Throughput of several connections, 12 KB messages";
    let chart = Chart::new(title, "connections", "received (Mbit/s)");
    let mut chart = chart.with_runs(THROUGHPUT, &["message_bytes = 12000"]);
    for variant in ["tcp", "sctp"] {
        let points = (1..=4_u16).filter_map(|connections| {
            let cell = cell(summary, several(connections), variant)?;
            let estimate = cell.estimate("receive_mbit_per_s")?;
            Some(Point::estimate(f64::from(connections), estimate))
        });
        chart.push(Curve::new(variant, points));
    }
    chart
}
