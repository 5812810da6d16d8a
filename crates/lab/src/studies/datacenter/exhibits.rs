use super::{
    CARRIERS, CARRIERS_TODAY, GO_BACK_N, LOSS, NAME, RTO_MINS, SCTP, SCTP_BACK, claims, live,
    rto_mins,
};
use crate::studies::rivals;
use crate::{Chart, Curve, Exhibit, Point, Summary, Table};

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let mut exhibits = live::exhibits::exhibits(summary);
    exhibits.push(Exhibit::Chart(chart(summary)));
    exhibits.push(Exhibit::Chart(back_over_sack(summary)));
    exhibits.push(Exhibit::Table(table(summary)));
    exhibits.push(Exhibit::Table(readings(summary)));
    exhibits
}

/// Each TCP, today's SCTPs, and each other SCTP with each of its minimum RTOs: variant, minimum
/// RTO, label.
fn carriers() -> Vec<(&'static str, f64, String)> {
    let own = rivals::ALL.into_iter().chain(CARRIERS_TODAY);
    let own = own.map(|name| (name, 0.0, name.to_owned()));
    let sctp = CARRIERS.into_iter().flat_map(|variant| {
        rto_mins(variant).map(|rto_min| (variant, rto_min, format!("{variant}, {rto_min} ms")))
    });
    own.chain(sctp).collect()
}

fn chart(summary: &Summary) -> Chart {
    let title = "Throughput under random losses, by least timeout";
    let chart = Chart::new(title, "packets lost (%)", "throughput (Mbit/s)").with_log_y();
    let mut chart = chart.with_runs(LOSS, &[]);
    for (variant, rto_min, name) in carriers() {
        let losses = summary.numbers(NAME, LOSS, "loss_percent").into_iter();
        let points = losses.filter_map(|loss| {
            let cell = claims::cell(summary, variant, rto_min, loss)?;
            Some(Point::estimate(loss, cell.estimate("mbit_per_s")?))
        });
        chart.push(Curve::new(name, points));
    }
    chart
}

/// The paper's figure of go-back-N and SACK, as a ratio, since the paper prints one.
fn back_over_sack(summary: &Summary) -> Chart {
    let title = "Deployment, figure 10: go-back-N over SACK under random losses";
    let chart = Chart::new(title, "packets lost (%)", "throughput, go-back-N / SACK");
    let mut chart = chart.with_runs(LOSS, &[]);
    for rto_min in RTO_MINS {
        let losses = summary.numbers(NAME, LOSS, "loss_percent").into_iter();
        let points = losses.filter_map(|loss| {
            let of = |variant| claims::cell(summary, variant, rto_min, loss);
            let ratio = of(SCTP_BACK)?.ratio(of(SCTP)?, "mbit_per_s")?;
            Some(Point::estimate(loss, ratio))
        });
        chart.push(Curve::new(
            format!("{SCTP_BACK} / {SCTP}, {rto_min} ms"),
            points,
        ));
    }
    chart
}

fn table(summary: &Summary) -> Table {
    let losses = summary.numbers(NAME, LOSS, "loss_percent");
    let mut head = vec!["carrier".to_owned()];
    head.extend(losses.iter().map(|loss| format!("{loss} % lost")));
    let table = Table::with_head(
        "Throughput under random losses, Mbit/s, by least timeout",
        head,
    );
    let mut table = table.with_runs(LOSS, &[]);
    for (variant, rto_min, name) in carriers() {
        let shown = |loss: &f64| {
            let cell = claims::cell(summary, variant, rto_min, *loss);
            let estimate = cell.and_then(|cell| cell.estimate("mbit_per_s"));
            estimate.map_or_else(String::new, |estimate| estimate.to_string())
        };
        let mut row = vec![name];
        row.extend(losses.iter().map(shown));
        table.push(row);
    }
    let live = [
        ("tcp", "live: tcp of this kernel"),
        ("sctp", "live: sctp, SACK per 7, 200 ms"),
    ];
    for (variant, name) in live {
        let shown = |loss: &f64| {
            let cell = live::claims::under_loss(summary, variant, *loss);
            let estimate = cell.and_then(|cell| cell.estimate(live::claims::RECEIVED));
            estimate.map_or_else(String::new, |estimate| estimate.to_string())
        };
        let row = losses.iter().map(shown);
        table.push([name.to_owned()].into_iter().chain(row));
    }
    table
}

/// Go-back-N with different interpretations of what the papers leave open.
fn readings(summary: &Summary) -> Table {
    let head = [
        "buffers (KiB)",
        "least timeout (ms)",
        "reports that show a loss",
        "SACK (Mbit/s)",
        "go-back-N (Mbit/s)",
        "ratio",
    ];
    let mut table = Table::new("SACK and go-back-N at 2.5 % loss", &head).with_runs(GO_BACK_N, &[]);
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
