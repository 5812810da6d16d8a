use super::{LOSS, NAME, claims};
use crate::{Chart, Curve, Exhibit, Point, Summary, Table};

const VARIANTS: [&str; 3] = ["tcp", "sctp", "sctp, SACK per 7"];

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let charts = [1000.0, 20.0].map(|rto_min| Exhibit::Chart(chart(summary, rto_min)));
    let mut exhibits: Vec<Exhibit> = charts.into();
    exhibits.push(Exhibit::Table(table(summary)));
    exhibits
}

fn chart(summary: &Summary, rto_min: f64) -> Chart {
    let title = format!("Throughput under random losses, least timeout {rto_min} ms");
    let mut chart = Chart::new(&title, "packets lost (%)", "throughput (Mbit/s)").with_log_y();
    for variant in VARIANTS {
        let losses = summary.numbers(NAME, LOSS, "loss_percent").into_iter();
        let points = losses.filter_map(|loss| {
            let cell = claims::cell(summary, variant, rto_min, loss)?;
            Some(Point::estimate(loss, cell.estimate("mbit_per_s")?))
        });
        chart.push(Curve {
            name: variant.to_owned(),
            points: points.collect(),
        });
    }
    chart
}

fn table(summary: &Summary) -> Table {
    let head = [
        "lost (%)",
        "least timeout (ms)",
        "tcp",
        "sctp",
        "sctp, SACK per 7",
    ];
    let mut table = Table::new("Throughput, Mbit/s", &head);
    for loss in summary.numbers(NAME, LOSS, "loss_percent") {
        for rto_min in [1000.0, 20.0] {
            let shown = |variant| {
                let cell = claims::cell(summary, variant, rto_min, loss);
                let estimate = cell.and_then(|cell| cell.estimate("mbit_per_s"));
                estimate.map_or_else(String::new, |estimate| estimate.to_string())
            };
            let numbers = [loss.to_string(), rto_min.to_string()];
            table.push(numbers.into_iter().chain(VARIANTS.map(shown)));
        }
    }
    table
}
