use super::plan::{ALGORITHMS, RULES};
use super::{CONGESTION, DEATH, NAME, SURFACE, claims};
use crate::estimate::shown;
use crate::{Chart, Curve, Exhibit, Point, Settings, Summary, Table};

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let courses = [
        ("cwnd", "Congestion window of the primary path", "bytes"),
        ("rto", "Retransmission timeout of the primary path", "s"),
        ("srtt", "Smoothed round trip of the primary path", "s"),
        ("delay", "Time that each message took", "s"),
        ("received", "Bytes received", "bytes"),
        ("rwnd", "Advertised window", "bytes"),
    ];
    let mut exhibits = vec![Exhibit::Table(columns(summary))];
    for (name, title, unit) in courses {
        exhibits.push(Exhibit::Chart(course(summary, name, title, unit)));
    }
    exhibits.push(Exhibit::Table(surface(summary)));
    exhibits.push(Exhibit::Chart(death(
        summary,
        "left_s",
        "From the death of the primary path until data takes the other one",
    )));
    exhibits.push(Exhibit::Chart(death(
        summary,
        "delay_mean_s",
        "Mean time that a message takes while the primary path dies",
    )));
    exhibits.push(Exhibit::Note(
        "The paper's advertised window reaches 95,535 bytes with early decrease and 61,535 \
         without. A receiver's buffer does not depend on the sender's congestion control: the two \
         runs were made with different buffers."
            .to_owned(),
    ));
    exhibits
}

const METRICS: [(&str, &str, &str, &str); 10] = [
    ("lifetime (s)", "lifetime_s", "8.31", "5.36"),
    ("throughput (bit/s)", "sent_bit_per_s", "384921", "596921"),
    ("sent (bytes)", "sent_bytes", "528000", "516000"),
    ("again (bytes)", "retransmitted_bytes", "128000", "116000"),
    ("cwnd, max (bytes)", "cwnd_max", "24940", "24940"),
    ("cwnd, mean (bytes)", "cwnd_mean", "13502", "13822"),
    ("RTO, max (s)", "rto_s_max", "2.28", "2.143"),
    ("RTO, mean (s)", "rto_s_mean", "0.89", "0.689"),
    ("message delay, mean (s)", "delay_mean_s", "3.824", "3.188"),
    ("timeouts", "timeouts", "", ""),
];

fn columns(summary: &Summary) -> Table {
    let head = [
        "quantity",
        "queue",
        "paper, standard",
        "paper, modified",
        "standard",
        "heartbeat",
        "always",
    ];
    let mut table = Table::new("The paper's columns and ours", &head);
    for (name, metric, standard, modified) in METRICS {
        for queue in ["drop-tail", "red"] {
            let ours = ALGORITHMS.map(|algorithm| {
                let some = Settings::new()
                    .with("algorithm", algorithm)
                    .with("queue", queue);
                let cell = summary.cell(NAME, CONGESTION, &some);
                let estimate = cell.and_then(|cell| cell.estimate(metric));
                estimate.map_or_else(String::new, |estimate| estimate.to_string())
            });
            let papers = [name, queue, standard, modified].map(str::to_owned);
            table.push(papers.into_iter().chain(ours));
        }
    }
    table
}

fn course(summary: &Summary, series: &str, title: &str, unit: &str) -> Chart {
    let title = format!("{title}, first seed");
    let mut chart = Chart::new(&title, "time (s)", unit);
    for algorithm in ALGORITHMS {
        let cell = claims::cell(summary, algorithm);
        if let Some(series) = cell.and_then(|cell| cell.series(series)) {
            chart.push(Curve::of_series(algorithm, &series.points));
        }
    }
    chart
}

/// What the standard algorithm gives under other cross traffic, nearest to the paper first.
fn surface(summary: &Summary) -> Table {
    let head = [
        "bottleneck (Mb/s)",
        "burst load",
        "on (ms)",
        "off (ms)",
        "lifetime (s)",
        "again (bytes)",
        "cwnd, mean",
        "distance",
        "lifetime with `always` (s)",
    ];
    let title = "The search: standard algorithm under other cross traffic, nearest to the paper's \
                 standard column first (distance: sum of the logarithms of the ratios of \
                 lifetime, retransmitted bytes and mean cwnd)";
    let mut table = Table::new(title, &head);
    let standard = Settings::new().with("algorithm", "standard");
    let mut rows: Vec<(f64, Vec<String>)> = summary
        .cells(NAME, SURFACE, &standard)
        .into_iter()
        .filter_map(|cell| {
            let lifetime = cell.estimate("lifetime_s")?;
            let again = cell.estimate("retransmitted_bytes")?;
            let cwnd = cell.estimate("cwnd_mean")?;
            let apart = |ours: f64, paper: f64| (ours.max(1.0) / paper).ln().abs();
            let distance = apart(lifetime.mean, 8.31)
                + apart(again.mean, 128_000.0)
                + apart(cwnd.mean, 13_502.0);
            let settings = cell.settings.clone().with("algorithm", "always");
            let other = summary.cell(NAME, SURFACE, &settings);
            let other = other.and_then(|cell| cell.estimate("lifetime_s"));
            let mut row: Vec<String> = ["bottleneck_mbit", "burst_load", "on_ms", "off_ms"]
                .iter()
                .map(|name| cell.settings.number(name).to_string())
                .collect();
            row.extend([lifetime, again, cwnd].map(|estimate| estimate.to_string()));
            row.push(shown(distance));
            row.push(other.map_or_else(String::new, |other| other.to_string()));
            Some((distance, row))
        })
        .collect();
    rows.sort_by(|one, other| one.0.total_cmp(&other.0));
    table.rows = rows.into_iter().map(|(_, row)| row).collect();
    table
}

fn death(summary: &Summary, metric: &str, title: &str) -> Chart {
    let mut chart = Chart::new(title, "Path.Max.Retrans", "s");
    for rule in RULES {
        let some = Settings::new().with("rule", rule);
        let cells = summary.cells(NAME, DEATH, &some).into_iter();
        let points = cells.filter_map(|cell| {
            let x = cell.settings.number("path_max_retrans");
            Some(Point::estimate(x, cell.estimate(metric)?))
        });
        chart.push(Curve {
            name: rule.to_owned(),
            points: points.collect(),
        });
    }
    chart
}
