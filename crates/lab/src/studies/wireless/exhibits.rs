use super::claims::{World, sweep};
use super::plan::{
    BURST, CHANGES, HOMINGS, READINGS, RIVALS, RULES, SCATTERED, SCHEMES, USUAL_BETA,
};
use super::{BETA, CAUSE, DAMAGE, LOSS, NAME, PERIOD, THROUGHPUT, TRACE, trace};
use crate::estimate::shown;
use crate::of_cells;
use crate::{Cell, Chart, Curve, Exhibit, Point, Settings, Summary, Table};

/// The sweeps: experiment, setting, label, and title of the chart.
const SWEEPS: [(&str, &str, &str, &str); 3] = [
    (BETA, "beta", "beta", "Damage in the bad state"),
    (
        PERIOD,
        "scale",
        "length of both periods, relative",
        "Length of the periods",
    ),
    (
        LOSS,
        "loss_percent",
        "loss on the primary wire (%)",
        "Losses beside damage",
    ),
];

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let mut exhibits = Vec::new();
    for sweep in SWEEPS {
        for reading in READINGS {
            exhibits.push(Exhibit::Chart(papers(summary, sweep, reading)));
        }
        for reading in READINGS {
            exhibits.push(Exhibit::Chart(rivals(summary, sweep, reading)));
        }
    }
    exhibits.extend(READINGS.map(|reading| Exhibit::Chart(gain(summary, reading))));
    exhibits.push(Exhibit::Chart(sizes(summary)));
    let schemes = SCHEMES.iter().rev();
    exhibits.extend(schemes.map(|scheme| Exhibit::Chart(traced(summary, scheme))));
    exhibits.push(Exhibit::Table(gains(summary)));
    exhibits.push(Exhibit::Table(causes(summary)));
    exhibits.extend(second_path(summary).map(Exhibit::Note));
    exhibits.extend(rivals_told(summary).map(Exhibit::Note));
    exhibits
}

/// The cell at the paper's beta, in its most likely interpretation, with the paper's rules.
fn usual<'a>(summary: &'a Summary, scheme: &str, homing: &str) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("beta", USUAL_BETA)
        .with("reading", READINGS[0])
        .with("rules", RULES[0])
        .with("scheme", scheme)
        .with("homing", homing);
    summary.cell(NAME, BETA, &some)
}

/// The gain from the second path, without and with chunk checksum.
fn second_path(summary: &Summary) -> Option<String> {
    let worth = |scheme: &str| {
        let (two, one) = (
            usual(summary, scheme, "multi")?,
            usual(summary, scheme, "single")?,
        );
        Some((two.ratio(one, THROUGHPUT)?, two.mean("timeouts")))
    };
    let ((standard, waits), (checked, fewer)) = (worth("sctp")?, worth("chunk-checksum")?);
    let waits = waits.zip(fewer).map_or_else(String::new, |(waits, fewer)| {
        format!(
            ", with {} and {} timeouts a run",
            shown(waits),
            shown(fewer)
        )
    });
    Some(format!(
        "At beta {USUAL_BETA} ({}) a second path gives standard SCTP {standard} times the \
         throughput of one, and chunk checksum {checked} times{waits}.",
        READINGS[0]
    ))
}

/// The rivals compared with the chunk checksum, over one path.
fn rivals_told(summary: &Summary) -> Option<String> {
    let checked = usual(summary, "chunk-checksum", "single")?;
    let against = |scheme: &str| {
        let rival = usual(summary, scheme, "single")?;
        Some(format!("{scheme} {}", rival.ratio(checked, THROUGHPUT)?))
    };
    let all = ["mac-error-warning", "ecn-discrimination", "tcp"].map(against);
    let told: Option<Vec<String>> = all.into_iter().collect();
    Some(format!(
        "The rivals' throughput in multiples of chunk checksum's, over one path at beta \
         {USUAL_BETA} ({}): {}. The warning here is ideal: none is lost, none forged. ECN \
         discrimination takes all losses for damage that no mark announces, which they are in \
         this study and would not be on a crowded path.",
        READINGS[0],
        told?.join(", ")
    ))
}

fn chart(title: &str, sweep: (&str, &str, &str, &str), reading: &str) -> Chart {
    let (experiment, _, x, _) = sweep;
    let chart = Chart::new(title, x, "throughput (KB/s)");
    let chart = chart.with_runs(experiment, &[&format!("reading = {reading}")]);
    if experiment == PERIOD {
        chart.with_log_x()
    } else {
        chart
    }
}

/// The paper's four curves, with both sets of rules.
fn papers(summary: &Summary, sweep: (&str, &str, &str, &str), reading: &str) -> Chart {
    let (experiment, x, _, what) = sweep;
    let mut chart = chart(&format!("{what}, {reading}"), sweep, reading);
    for rules in RULES {
        for homing in HOMINGS {
            for scheme in SCHEMES {
                let some = Settings::new()
                    .with("reading", reading)
                    .with("rules", rules)
                    .with("homing", homing)
                    .with("scheme", scheme);
                let name = format!("{scheme}, {homing}-homed, {rules}");
                chart.push(of_cells::curve(
                    &name,
                    (x, THROUGHPUT),
                    summary.cells(NAME, experiment, &some),
                ));
            }
        }
    }
    chart
}

/// The chunk checksum and its rivals, with RFC 2960's rules.
fn rivals(summary: &Summary, sweep: (&str, &str, &str, &str), reading: &str) -> Chart {
    let (experiment, x, _, what) = sweep;
    let mut chart = chart(&format!("{what}, {reading}, with rivals"), sweep, reading);
    let mut any = false;
    let own = HOMINGS.map(|homing| ("chunk-checksum", homing));
    for (scheme, homing) in own.into_iter().chain(RIVALS) {
        let some = Settings::new()
            .with("reading", reading)
            .with("rules", RULES[0])
            .with("homing", homing)
            .with("scheme", scheme);
        let name = format!("{scheme}, {homing}-homed");
        let curve = of_cells::curve(
            &name,
            (x, THROUGHPUT),
            summary.cells(NAME, experiment, &some),
        );
        any |= scheme != "chunk-checksum" && !curve.points.is_empty();
        chart.push(curve);
    }
    if !any {
        chart.curves.clear();
    }
    chart
}

fn gains(summary: &Summary) -> Table {
    let head = [
        "sweep",
        "at",
        "reading",
        "one path (%)",
        "two paths (%)",
        "paper (%)",
    ];
    let title = "What chunk checksum gains over standard SCTP, RFC 2960's rules, seed by seed";
    let mut table = Table::new(title, &head);
    for (experiment, x, ..) in SWEEPS {
        for reading in READINGS {
            for (at, four) in
                sweep(summary, experiment, x, World::papers(reading)).unwrap_or_default()
            {
                let gain = |paths| {
                    four.gain(paths)
                        .map_or_else(String::new, |gain| gain.to_string())
                };
                let paper = if experiment == LOSS && at < 2.0 {
                    "> 40.1, > 43.9"
                } else {
                    ""
                };
                let row = [
                    experiment,
                    &at.to_string(),
                    reading,
                    &gain(0),
                    &gain(1),
                    paper,
                ];
                table.push(row);
            }
        }
    }
    table
}

/// A retransmission taken from a run, like the paper's sketch.
fn traced(summary: &Summary, scheme: &str) -> Chart {
    let title = match scheme {
        "sctp" => "The same with standard SCTP, first seed",
        _ => "Chunk checksum, figure 4: chunks around the first that is sent again, first seed",
    };
    let x = "time from its first sending (ms)";
    let chart = Chart::new(title, x, "TSN, counted from it").without_lines();
    let mut chart = chart.with_runs(TRACE, &[&format!("scheme = {scheme}")]);
    let some = Settings::new().with("scheme", scheme);
    let cell = summary.cell(NAME, TRACE, &some);
    for name in [trace::SENT, trace::AGAIN, trace::REPORTED] {
        if let Some(series) = cell.and_then(|cell| cell.series(name)) {
            chart.push(Curve::of_series(name, &series.points));
        }
    }
    chart
}

/// The gain over standard SCTP with additional losses, for which the paper prints a bound.
fn gain(summary: &Summary, reading: &'static str) -> Chart {
    let title = format!("Gain over the loss, {reading}");
    let chart = Chart::new(
        &title,
        "loss on the primary wire (%)",
        "gain over standard SCTP (%)",
    );
    let mut chart = chart.with_runs(LOSS, &[&format!("reading = {reading}")]);
    let all = sweep(summary, LOSS, "loss_percent", World::papers(reading)).unwrap_or_default();
    for (paths, homing) in HOMINGS.into_iter().enumerate() {
        let points = all
            .iter()
            .filter_map(|(loss, four)| Some(Point::estimate(*loss, four.gain(paths)?)));
        chart.push(Curve::new(
            format!("chunk-checksum, {homing}-homed"),
            points,
        ));
    }
    chart
}

fn sizes(summary: &Summary) -> Chart {
    let title = format!(
        "Size of the damage, {}, beta {USUAL_BETA}, one path",
        READINGS[0]
    );
    let chart = Chart::new(&title, "wrong bits a packet", "throughput (KB/s)").with_log_x();
    let mut chart = chart.with_runs(DAMAGE, &[]);
    for scheme in SCHEMES {
        for placement in [SCATTERED, BURST] {
            let some = Settings::new()
                .with("scheme", scheme)
                .with("placement", placement);
            let name = format!("{scheme}, {placement}");
            chart.push(of_cells::curve(
                &name,
                ("wrong_bits", THROUGHPUT),
                summary.cells(NAME, DAMAGE, &some),
            ));
        }
    }
    chart
}

/// The effect of each cause.
fn causes(summary: &Summary) -> Table {
    let head = [
        "change",
        "scheme",
        "paths",
        "throughput (KB/s)",
        "packets damaged",
        "timeouts",
        "fast retransmissions",
        "sent again as damaged",
    ];
    let title = "One cause changed at a time: gilbert-ns2, beta 0.25, RFC 2960's rules";
    let mut table = Table::new(title, &head).with_runs(CAUSE, &[]);
    for change in CHANGES {
        for homing in HOMINGS {
            for scheme in SCHEMES {
                let some = Settings::new()
                    .with("change", change)
                    .with("homing", homing)
                    .with("scheme", scheme);
                let Some(cell) = summary.cell(NAME, CAUSE, &some) else {
                    continue;
                };
                let metrics = [
                    THROUGHPUT,
                    "packets_damaged",
                    "timeouts",
                    "fast_retransmissions",
                    "again_damaged",
                ];
                let values = metrics.map(|metric| cell.shown(metric));
                let names = [change, scheme, homing].map(str::to_owned);
                table.push(names.into_iter().chain(values));
            }
        }
    }
    table
}
