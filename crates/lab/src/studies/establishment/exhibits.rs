use super::{BITS, FLOOD, LINE, NAME};
use crate::{Cell, Chart, Curve, Exhibit, Point, Settings, Summary, Table};

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    vec![
        Exhibit::Chart(clients(summary)),
        Exhibit::Table(line(summary)),
        Exhibit::Table(flood(summary)),
        Exhibit::Chart(bits(summary)),
    ]
}

const TRANSPORTS: [&str; 2] = ["sctp", "tcp"];

/// The cells of floods over the line, by rate.
fn floods<'a>(summary: &'a Summary, transport: &str) -> Vec<&'a Cell> {
    let some = Settings::new().with("transport", transport);
    let mut cells = summary.cells(NAME, LINE, &some);
    cells.sort_by(|one, other| rate(one).total_cmp(&rate(other)));
    cells
}

/// Packets of the flood a second.
fn rate(cell: &Cell) -> f64 {
    cell.settings.number("flood_per_s")
}

fn shown(cell: &Cell, metric: &str) -> String {
    let estimate = cell.estimate(metric);
    estimate.map_or_else(String::new, |estimate| estimate.to_string())
}

fn clients(summary: &Summary) -> Chart {
    let mut chart = Chart::new(
        "Honest clients that are established within 5 s of a flood over a line",
        "packets of the flood per second",
        "share of honest clients",
    )
    .with_log_x()
    .with_runs(LINE, &[]);
    for transport in TRANSPORTS {
        // Nothing has no place on a logarithmic axis.
        let cells = floods(summary, transport).into_iter();
        let points = cells.filter(|cell| rate(cell) > 0.0).filter_map(|cell| {
            let share = cell.estimate("established_share")?;
            Some(Point::estimate(rate(cell), share))
        });
        chart.push(Curve {
            name: transport.to_owned(),
            points: points.collect(),
        });
    }
    chart
}

fn line(summary: &Summary) -> Table {
    let head = [
        "listener",
        "flood (packets/s)",
        "honest clients established (share)",
        "time that they took (s)",
        "half-open at most",
        "turned away by the backlog",
        "dropped before the line (share)",
        "dropped before the line back (share)",
        "dropped before the processor (share)",
        "processor busy (share)",
        "packet back (bytes)",
    ];
    let metrics = [
        "established_share",
        "established_s",
        "half_open",
        "turned_away",
        "line_dropped_share",
        "line_back_dropped_share",
        "processor_dropped_share",
        "processor_busy_share",
        "answer_bytes",
    ];
    let mut table = Table::new(
        "Floods over a line to a server with a bounded processor",
        &head,
    );
    table = table.with_runs(LINE, &[]);
    for transport in TRANSPORTS {
        for cell in floods(summary, transport) {
            let row = metrics.iter().map(|metric| shown(cell, metric));
            table.push(
                [transport.to_owned(), rate(cell).to_string()]
                    .into_iter()
                    .chain(row),
            );
        }
    }
    table
}

fn flood(summary: &Summary) -> Table {
    let head = [
        "listener",
        "half-open at most",
        "growth of the process (KiB)",
        "answers",
        "ns a packet",
    ];
    let mut table = Table::new(
        "Under a flood of openings from spoofed addresses, handed over at once",
        &head,
    );
    table = table.with_runs(FLOOD, &[]);
    for transport in TRANSPORTS {
        let some = Settings::new().with("transport", transport);
        let Some(cell) = summary.cell(NAME, FLOOD, &some) else {
            continue;
        };
        let metrics = [
            "half_open",
            "resident_growth_kib",
            "replies",
            "ns_per_packet",
        ];
        let row = metrics.iter().map(|metric| shown(cell, metric));
        table.push(core::iter::once(transport.to_owned()).chain(row));
    }
    table
}

fn bits(summary: &Summary) -> Chart {
    let mut chart = Chart::new(
        "Packets with wrong bits that the checksum misses",
        "wrong bits",
        "share of packets missed",
    )
    .with_runs(BITS, &[]);
    for (name, metric) in [
        ("TCP's checksum", "tcp_missed"),
        ("CRC32c", "crc32c_missed"),
    ] {
        let mut points: Vec<Point> = summary
            .cells(NAME, BITS, &Settings::new())
            .into_iter()
            .filter_map(|cell| {
                let packets = cell.settings.number("packets");
                let missed = cell.estimate(metric)?;
                Some(Point {
                    x: cell.settings.number("wrong_bits"),
                    y: missed.mean / packets,
                    half_width: missed.drawn_half_width() / packets,
                })
            })
            .collect();
        points.sort_by(|one, other| one.x.total_cmp(&other.x));
        chart.push(Curve {
            name: name.to_owned(),
            points,
        });
    }
    chart
}
