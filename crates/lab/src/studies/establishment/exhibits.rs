use super::{BITS, FLOOD, LINE, NAME};
use crate::of_cells;
use crate::of_cells::Column::{Estimate, Setting};
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

/// The cells of floods over the line, by flood rate.
fn floods_over<'a>(summary: &'a Summary, transport: &str) -> Vec<&'a Cell> {
    let some = Settings::new().with("transport", transport);
    let mut cells = summary.cells(NAME, LINE, &some);
    cells.sort_by(|one, other| rate(one).total_cmp(&rate(other)));
    cells
}

/// Flood rate, packets per second.
fn rate(cell: &Cell) -> f64 {
    cell.settings.number("flood_per_s")
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
        // A logarithmic axis has no place for 0.
        let cells = floods_over(summary, transport).into_iter();
        let flooded = cells.filter(|cell| rate(cell) > 0.0);
        let axes = ("flood_per_s", "established_share");
        chart.push(of_cells::curve(transport, axes, flooded));
    }
    chart
}

fn line(summary: &Summary) -> Table {
    let columns = [
        ("listener", Setting("transport")),
        ("flood (packets/s)", Setting("flood_per_s")),
        (
            "honest clients established (share)",
            Estimate("established_share"),
        ),
        ("time that they took (s)", Estimate("established_s")),
        ("half-open at most", Estimate("half_open")),
        ("turned away by the backlog", Estimate("turned_away")),
        (
            "dropped before the line (share)",
            Estimate("line_dropped_share"),
        ),
        (
            "dropped before the line back (share)",
            Estimate("line_back_dropped_share"),
        ),
        (
            "dropped before the processor (share)",
            Estimate("processor_dropped_share"),
        ),
        ("processor busy (share)", Estimate("processor_busy_share")),
        ("packet back (bytes)", Estimate("answer_bytes")),
    ];
    let title = "Floods over a line to a server with a bounded processor";
    let floods = TRANSPORTS.into_iter();
    let floods = floods.flat_map(|transport| floods_over(summary, transport));
    of_cells::table(title, &columns, floods).with_runs(LINE, &[])
}

fn flood(summary: &Summary) -> Table {
    let columns = [
        ("listener", Setting("transport")),
        ("half-open at most", Estimate("half_open")),
        (
            "growth of the process (KiB)",
            Estimate("resident_growth_kib"),
        ),
        ("answers", Estimate("replies")),
        ("ns a packet", Estimate("ns_per_packet")),
    ];
    let title = "Under a flood of openings from spoofed addresses, handed over at once";
    let cells = TRANSPORTS.into_iter().filter_map(|transport| {
        summary.cell(NAME, FLOOD, &Settings::new().with("transport", transport))
    });
    of_cells::table(title, &columns, cells).with_runs(FLOOD, &[])
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
        chart.push(Curve::new(name, points));
    }
    chart
}
