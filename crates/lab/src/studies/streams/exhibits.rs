use super::{BLOCKING, COUNT, DELAY, KIB_TODAY, LOSS_DELAYS, NAME, SCTP, TODAY, USUAL_KIB, live};
use crate::of_cells;
use crate::studies::rivals;
use crate::{Chart, Curve, Exhibit, Point, Settings, Summary};

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let mut charts = vec![over_delays(summary)];
    for loss in [0.0, 5.0, 10.0] {
        charts.push(over_streams(summary, loss));
    }
    for loss in [5.0, 10.0] {
        charts.push(waiting(summary, loss));
    }
    charts.extend(live_ones(summary));
    charts.into_iter().map(Exhibit::Chart).collect()
}

/// The live runs with their simulated counterparts.
fn live_ones(summary: &Summary) -> Vec<Chart> {
    let none = Settings::new();
    let mut charts = vec![beside(
        summary,
        (live::DELAY, &none, "delay_ms"),
        ("mean delay one way (ms)", "throughput (Mbit/s)"),
        "A file over different delays, live and simulated",
    )];
    for loss in summary.numbers(NAME, live::COUNT, "loss_percent") {
        let some = Settings::new().with("loss_percent", loss);
        charts.push(beside(
            summary,
            (live::COUNT, &some, "streams"),
            ("streams", "throughput (Mbit/s)"),
            &format!("A file over different numbers of streams, {loss} % loss, live and simulated"),
        ));
    }
    for loss in summary.numbers(NAME, live::BLOCKING, "loss_percent") {
        let some = Settings::new().with("loss_percent", loss);
        charts.push(beside(
            summary,
            (live::BLOCKING, &some, "streams"),
            ("streams", "mean delay (s)"),
            &format!("How long a message takes, {loss} % loss, live and simulated"),
        ));
    }
    charts
}

fn beside(
    summary: &Summary,
    (experiment, some, x): (&str, &Settings, &str),
    axes: (&str, &str),
    title: &str,
) -> Chart {
    let metric = match experiment {
        live::BLOCKING => "delay_mean_s",
        _ => "mbit_per_s",
    };
    let words: Vec<String> = some
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut chart = Chart::new(title, axes.0, axes.1).with_runs(experiment, &words);
    for transport in ["tcp", "sctp"] {
        for how in ["live", "simulated"] {
            let some = some.clone().with("transport", transport).with("how", how);
            let name = format!("{transport}, {how}");
            let own = of_cells::curve(&name, (x, metric), summary.cells(NAME, experiment, &some));
            chart.push(across(own, &summary.numbers(NAME, experiment, x)));
        }
    }
    chart
}

/// The variants with their receive buffers, KiB.
fn variants() -> impl Iterator<Item = (&'static str, f64)> {
    let judging = rivals::ALL.into_iter().chain([SCTP]);
    let judging = judging.map(|name| (name, USUAL_KIB));
    judging.chain(TODAY.map(|name| (name, KIB_TODAY)))
}

/// The name of a curve, which includes the receive buffer unless it is the usual one.
fn named(transport: &str, kib: f64) -> String {
    match kib == USUAL_KIB {
        true => transport.to_owned(),
        false => format!("{transport}, {kib} KiB"),
    }
}

fn over_delays(summary: &Summary) -> Chart {
    let mut chart = Chart::new(
        "A file over different delays",
        "mean delay one way (ms)",
        "throughput (Mbit/s)",
    )
    .with_runs(DELAY, &[]);
    for (transport, kib) in variants() {
        let some = Settings::new()
            .with("transport", transport)
            .with("buffer_kib", kib);
        let transport = &named(transport, kib);
        let from = (DELAY, &some);
        chart.push(of_cells::curve(
            transport,
            ("delay_ms", "mbit_per_s"),
            summary.cells(NAME, from.0, from.1),
        ));
    }
    chart
}

/// SCTP over the number of streams, and TCP, which has only one, as a horizontal line.
fn over_streams(summary: &Summary, loss: f64) -> Chart {
    let title = format!("A file over different numbers of streams, {loss} % loss");
    let chart = Chart::new(&title, "streams", "throughput (Mbit/s)");
    let mut chart = chart.with_runs(COUNT, &[&format!("loss_percent = {loss}")]);
    for delay in LOSS_DELAYS {
        for (transport, kib) in variants() {
            let some = Settings::new()
                .with("loss_percent", loss)
                .with("delay_ms", delay)
                .with("buffer_kib", kib)
                .with("transport", transport);
            let name = format!("{}, {delay} ms", named(transport, kib));
            let own = of_cells::curve(
                &name,
                ("streams", "mbit_per_s"),
                summary.cells(NAME, COUNT, &some),
            );
            chart.push(across(own, &summary.numbers(NAME, COUNT, "streams")));
        }
    }
    chart
}

/// Extends a curve of a single point over all of `places`.
fn across(curve: Curve, places: &[f64]) -> Curve {
    let [point] = curve.points[..] else {
        return curve;
    };
    let points = places.iter().map(|x| Point { x: *x, ..point });
    Curve {
        points: points.collect(),
        ..curve
    }
}

fn waiting(summary: &Summary, loss: f64) -> Chart {
    let title = format!("How long a message takes, {loss} % loss");
    let chart = Chart::new(&title, "streams", "delay (s)").with_log_y();
    let mut chart = chart.with_runs(BLOCKING, &[&format!("loss_percent = {loss}")]);
    let quantiles = [
        ("mean", "delay_mean_s"),
        ("p50", "delay_p50_s"),
        ("p95", "delay_p95_s"),
        ("p99", "delay_p99_s"),
    ];
    for transport in [SCTP, rivals::THEN] {
        for (quantile, metric) in quantiles {
            let some = Settings::new()
                .with("loss_percent", loss)
                .with("buffer_kib", USUAL_KIB)
                .with("transport", transport);
            let name = format!("{transport}, {quantile}");
            let own = of_cells::curve(
                &name,
                ("streams", metric),
                summary.cells(NAME, BLOCKING, &some),
            );
            chart.push(across(own, &summary.numbers(NAME, BLOCKING, "streams")));
        }
    }
    chart
}
