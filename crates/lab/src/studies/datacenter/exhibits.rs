use super::{CARRIERS, LOSS, NAME, claims, live};
use crate::{Chart, Curve, Exhibit, Point, Summary, Table};

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let mut exhibits = live::exhibits::exhibits(summary);
    exhibits.extend([1000.0, 20.0].map(|rto_min| Exhibit::Chart(chart(summary, rto_min))));
    exhibits.push(Exhibit::Table(table(summary)));
    exhibits.push(Exhibit::Table(readings(summary)));
    exhibits
}

fn chart(summary: &Summary, rto_min: f64) -> Chart {
    let title = format!("Throughput under random losses, least timeout {rto_min} ms");
    let mut chart = Chart::new(&title, "packets lost (%)", "throughput (Mbit/s)").with_log_y();
    for variant in CARRIERS {
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
    let head = ["lost (%)", "least timeout (ms)"];
    let head: Vec<&str> = head.into_iter().chain(CARRIERS).collect();
    let mut table = Table::new("Throughput under random losses, Mbit/s", &head);
    for loss in summary.numbers(NAME, LOSS, "loss_percent") {
        for rto_min in [1000.0, 20.0] {
            let shown = |variant| {
                let cell = claims::cell(summary, variant, rto_min, loss);
                let estimate = cell.and_then(|cell| cell.estimate("mbit_per_s"));
                estimate.map_or_else(String::new, |estimate| estimate.to_string())
            };
            let numbers = [loss.to_string(), rto_min.to_string()];
            table.push(numbers.into_iter().chain(CARRIERS.map(shown)));
        }
    }
    table
}

/// Go-back-N under what the papers leave open.
fn readings(summary: &Summary) -> Table {
    let head = [
        "buffers (KiB)",
        "least timeout (ms)",
        "reports that show a loss",
        "SACK (Mbit/s)",
        "go-back-N (Mbit/s)",
        "ratio",
    ];
    let mut table = Table::new("SACK and go-back-N at 2.5 % loss", &head);
    for (settings, selective, back, paired) in claims::readings(summary) {
        let rate = |cell: &crate::Cell| {
            let estimate = cell.estimate("mbit_per_s");
            estimate.map_or_else(String::new, |estimate| estimate.to_string())
        };
        table.push([
            settings.number("buffer_kib").to_string(),
            settings.number("rto_min_ms").to_string(),
            settings.number("missing_reports").to_string(),
            rate(selective),
            rate(back),
            format!("{:.3}", paired.ratio),
        ]);
    }
    table
}
