use super::live::{KERNEL, LIVE};
use super::{FILES, LOSSES, NAME, PROTOCOLS, ROUND_TRIPS_MS, SCTP};
use crate::of_cells;
use crate::studies::rivals;
use crate::{Cell, Chart, Exhibit, Settings, Summary, Table};

/// Size of the files in the charts, bytes.
const DRAWN: f64 = 10_000.0;

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let mut exhibits = Vec::new();
    for loss in LOSSES {
        for rtt in ROUND_TRIPS_MS {
            let network = Settings::new()
                .with("loss_percent", loss)
                .with("rtt_ms", rtt);
            exhibits.push(Exhibit::Chart(over_files(summary, &network)));
        }
    }
    exhibits.push(Exhibit::Table(overheads(summary)));
    exhibits.extend(timeouts(summary).map(Exhibit::Note));
    for loss in LOSSES {
        exhibits.push(Exhibit::Table(all(summary, loss)));
    }
    exhibits.push(Exhibit::Table(live(summary)));
    exhibits
}

/// Settings for a protocol; for protocols over TCP, with the TCP used for judging.
fn judging(some: &Settings, protocol: &str) -> Settings {
    let some = some.clone().with("protocol", protocol);
    match protocol {
        SCTP | rivals::SCTP_TODAY => some,
        _ => some.with("tcp", rivals::THEN),
    }
}

fn over_files(summary: &Summary, network: &Settings) -> Chart {
    let title = format!(
        "Files of {} kB, round trip {} ms, {} % loss",
        DRAWN / 1000.0,
        network.number("rtt_ms"),
        network.number("loss_percent")
    );
    let words = [
        "bytes = 10000".to_owned(),
        format!("rtt_ms = {}", network.number("rtt_ms")),
        format!("loss_percent = {}", network.number("loss_percent")),
    ];
    let words = words.each_ref().map(String::as_str);
    let mut chart = Chart::new(&title, "files", "time until all are there (s)")
        .with_log_x()
        .with_log_y()
        .with_runs(FILES, &words);
    for protocol in PROTOCOLS {
        let some = judging(network, protocol).with("bytes", DRAWN);
        let cells = summary.cells(NAME, FILES, &some);
        chart.push(of_cells::curve(protocol, ("files", "all_s"), cells));
    }
    chart
}

/// The cost of 100 small files without loss.
fn overheads(summary: &Summary) -> Table {
    let head = [
        "protocol",
        "connections",
        "packets",
        "bytes on the network",
        "round trips until the first",
        "until all",
    ];
    let title = "What 100 files of 10 kB cost, round trip 100 ms, no loss";
    let words = [
        "files = 100",
        "bytes = 10000",
        "rtt_ms = 100",
        "loss_percent = 0",
    ];
    let mut table = Table::new(title, &head).with_runs(FILES, &words);
    for protocol in PROTOCOLS {
        let some = Settings::new()
            .with("files", 100.0)
            .with("bytes", DRAWN)
            .with("rtt_ms", 100.0)
            .with("loss_percent", 0.0);
        let some = judging(&some, protocol);
        let Some(cell) = summary.cell(NAME, FILES, &some) else {
            continue;
        };
        let plain = |metric| format!("{:.0}", cell.mean(metric).unwrap_or_default());
        let trips = |metric| format!("{:.1}", cell.mean(metric).unwrap_or_default() / 0.1);
        table.push([
            protocol.to_owned(),
            plain("connections"),
            plain("packets"),
            plain("network_bytes"),
            trips("first_s"),
            trips("all_s"),
        ]);
    }
    table
}

/// Timeouts on a lossless link, where not all drops of the queue were detected earlier.
fn timeouts(summary: &Summary) -> Option<String> {
    let lossless = Settings::new().with("loss_percent", 0.0);
    let cells = summary.cells(NAME, FILES, &lossless).into_iter();
    let struck: Vec<String> = cells
        .filter(|cell| cell.mean("timeouts").is_some_and(|mean| mean > 0.0))
        .map(|cell| {
            let [files, bytes, rtt] =
                ["files", "bytes", "rtt_ms"].map(|name| cell.settings.number(name));
            let count = |metric| cell.mean(metric).unwrap_or_default();
            format!(
                "{} with {files} x {} kB at {rtt} ms ({:.0} timeouts, {:.0} retransmissions)",
                [cell.settings.text("protocol"), cell.settings.text("tcp")].join(" "),
                bytes / 1000.0,
                count("timeouts"),
                count("retransmissions")
            )
        })
        .collect();
    let intro = "Where the link lost nothing, but the queue overflowed and a retransmission \
                 timeout followed: ";
    (!struck.is_empty()).then(|| format!("{intro}{}.", struck.join("; ")))
}

/// The times at one loss rate.
fn all(summary: &Summary, loss: f64) -> Table {
    let mut head = vec!["files".to_owned(), "round trip".to_owned()];
    head.extend(PROTOCOLS.map(str::to_owned));
    let table = Table::with_head(
        format!("Seconds until all files are there (until the first), {loss} % loss"),
        head,
    );
    let mut table = table.with_runs(FILES, &[&format!("loss_percent = {loss}")]);
    for (count, bytes, rtt) in places(summary) {
        let some = Settings::new()
            .with("files", count)
            .with("bytes", bytes)
            .with("rtt_ms", rtt)
            .with("loss_percent", loss);
        let mut row = vec![
            format!("{count} x {} kB", bytes / 1000.0),
            format!("{rtt} ms"),
        ];
        row.extend(PROTOCOLS.map(|protocol| {
            let some = judging(&some, protocol);
            summary
                .cell(NAME, FILES, &some)
                .map_or_else(String::new, times)
        }));
        if row.iter().skip(2).any(|cell| !cell.is_empty()) {
            table.push(row);
        }
    }
    table
}

/// The live runs, with a row per transfer and a column per protocol.
fn live(summary: &Summary) -> Table {
    let mut head = vec!["files", "kB each", "loss (%)"];
    head.extend(PROTOCOLS);
    let title =
        "Live, beside this kernel's TCP: seconds until all files are there (until the first is)";
    let mut table = Table::new(title, &head).with_runs(LIVE, &[]);
    let some = Settings::new().with("protocol", SCTP);
    for of in summary.cells(NAME, LIVE, &some) {
        let settings = &of.settings;
        let ways = PROTOCOLS.map(|protocol| {
            let same = settings.clone().with("protocol", protocol);
            let same = match protocol {
                SCTP | rivals::SCTP_TODAY => same,
                _ => same.with("tcp", KERNEL),
            };
            let cell = summary.cell(NAME, LIVE, &same);
            let time = |metric| Some(cell?.estimate(metric)?.to_string());
            let both = ["first_s", "all_s"].map(time);
            both.into_iter()
                .flatten()
                .collect::<Vec<String>>()
                .join(" / ")
        });
        let transfer = [
            settings.number("files").to_string(),
            (settings.number("bytes") / 1000.0).to_string(),
            settings.number("loss_percent").to_string(),
        ];
        table.push(transfer.into_iter().chain(ways));
    }
    table
}

fn times(cell: &Cell) -> String {
    let shown = |metric| {
        let estimate = cell.estimate(metric);
        estimate.map_or_else(|| "failed".to_owned(), |estimate| estimate.to_string())
    };
    format!("{} ({})", shown("all_s"), shown("first_s"))
}

/// The combinations that may have been run.
fn places(summary: &Summary) -> Vec<(f64, f64, f64)> {
    let numbers = |name| summary.numbers(NAME, FILES, name);
    let mut places = Vec::new();
    for count in numbers("files") {
        for bytes in numbers("bytes") {
            places.extend(numbers("rtt_ms").into_iter().map(|rtt| (count, bytes, rtt)));
        }
    }
    places
}
