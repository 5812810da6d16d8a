use super::{BITS, FLOOD, NAME};
use crate::{Chart, Curve, Exhibit, Point, Settings, Summary, Table};

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    vec![
        Exhibit::Table(flood(summary)),
        Exhibit::Chart(bits(summary)),
    ]
}

fn flood(summary: &Summary) -> Table {
    let head = [
        "listener",
        "half-open at most",
        "honest clients connected (share)",
        "growth of the process (KiB)",
        "answers",
        "ns a packet",
    ];
    let mut table = Table::new("Under a flood of openings from spoofed addresses", &head);
    table = table.with_runs(FLOOD, &[]);
    for transport in ["sctp", "tcp"] {
        let some = Settings::new().with("transport", transport);
        let Some(cell) = summary.cell(NAME, FLOOD, &some) else {
            continue;
        };
        let shown = |metric| {
            let estimate = cell.estimate(metric);
            estimate.map_or_else(String::new, |estimate| estimate.to_string())
        };
        let metrics = [
            "half_open",
            "honest_connected",
            "resident_growth_kib",
            "replies",
            "ns_per_packet",
        ];
        let row = metrics.iter().map(|metric| shown(metric));
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
