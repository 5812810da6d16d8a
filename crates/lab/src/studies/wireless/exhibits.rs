use super::claims::sweep;
use super::plan::{CHANGES, HOMINGS, READINGS, RIVALS, RULES, SCHEMES};
use super::{BETA, CAUSE, LOSS, NAME, PERIOD, THROUGHPUT, WINDOW};
use crate::{Chart, Curve, Exhibit, Point, Settings, Summary, Table};

/// What is swept: the experiment, the setting, its name for people, and what the chart shows.
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
    exhibits.push(Exhibit::Table(gains(summary)));
    for rules in RULES {
        exhibits.push(Exhibit::Chart(windows(summary, rules)));
    }
    exhibits.push(Exhibit::Table(causes(summary)));
    exhibits.retain(|exhibit| !matches!(exhibit, Exhibit::Chart(chart) if chart.curves.is_empty()));
    exhibits.push(Exhibit::Note(NOTE.to_owned()));
    exhibits.push(Exhibit::Note(RIVALS_NOTE.to_owned()));
    exhibits
}

const NOTE: &str = "Two paths do not help standard SCTP here. Its second path carries \
     retransmissions only, and these measure no round trip (Karn's rule): after a timeout there \
     the RTO has doubled, and stays so until a heartbeat, one in 30 s, brings it down. Chunk \
     checksum as it is built here takes the second path only while that is measured and has room \
     in its window.";

const RIVALS_NOTE: &str = "The MAC error warning is above chunk checksum while nothing is lost on \
     the wire: the node before the radio speaks of every damaged packet, chunk checksum only of \
     those whose headers are whole. One in thirty is not; a repeated chunk that is hit there is \
     not missed by gap reports any more, and waits for a timeout of a second. The warning here is \
     ideal (none is lost, none forged). ECN discrimination takes the losses on the wire for damage, \
     which they are in this study and would not be on a crowded path.";

/// The cells in which `some` holds, over the values of `x`.
fn curve(summary: &Summary, experiment: &str, some: &Settings, x: &str, name: String) -> Curve {
    let mut points: Vec<Point> = summary
        .cells(NAME, experiment, some)
        .into_iter()
        .filter_map(|cell| {
            let estimate = cell.estimate(THROUGHPUT)?;
            Some(Point::estimate(cell.settings.number(x), estimate))
        })
        .collect();
    points.sort_by(|one, other| one.x.total_cmp(&other.x));
    Curve { name, points }
}

fn chart(title: &str, (experiment, _, x, _): (&str, &str, &str, &str)) -> Chart {
    let chart = Chart::new(title, x, "throughput (KB/s)");
    if experiment == PERIOD {
        chart.with_log_x()
    } else {
        chart
    }
}

/// The paper's four curves under both rules.
fn papers(summary: &Summary, sweep: (&str, &str, &str, &str), reading: &str) -> Chart {
    let (experiment, x, _, what) = sweep;
    let mut chart = chart(&format!("{what}, {reading}"), sweep);
    for rules in RULES {
        for homing in HOMINGS {
            for scheme in SCHEMES {
                let some = Settings::new()
                    .with("reading", reading)
                    .with("rules", rules)
                    .with("homing", homing)
                    .with("scheme", scheme);
                let name = format!("{scheme}, {homing}-homed, {rules}");
                chart.push(curve(summary, experiment, &some, x, name));
            }
        }
    }
    chart
}

/// Chunk checksum and who competes with it, under RFC 2960's rules.
fn rivals(summary: &Summary, sweep: (&str, &str, &str, &str), reading: &str) -> Chart {
    let (experiment, x, _, what) = sweep;
    let mut chart = chart(&format!("{what}, {reading}, with rivals"), sweep);
    let mut any = false;
    let own = HOMINGS.map(|homing| ("chunk-checksum", homing));
    for (scheme, homing) in own.into_iter().chain(RIVALS) {
        let some = Settings::new()
            .with("reading", reading)
            .with("rules", RULES[0])
            .with("homing", homing)
            .with("scheme", scheme);
        let name = format!("{scheme}, {homing}-homed");
        let curve = curve(summary, experiment, &some, x, name);
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
            for (at, four) in sweep(summary, experiment, x, reading).unwrap_or_default() {
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

fn windows(summary: &Summary, rules: &str) -> Chart {
    let title = format!("Receive window, {rules}, {}, beta 0.25", READINGS[0]);
    let mut chart = Chart::new(&title, "receive window (KiB)", "throughput (KB/s)").with_log_x();
    let own = HOMINGS
        .iter()
        .flat_map(|homing| SCHEMES.map(|scheme| (scheme, *homing)));
    for (scheme, homing) in own.chain([("tcp", "single")]) {
        let some = Settings::new()
            .with("rules", rules)
            .with("homing", homing)
            .with("scheme", scheme);
        let name = format!("{scheme}, {homing}-homed");
        chart.push(curve(summary, WINDOW, &some, "window_kib", name));
    }
    chart
}

/// What each cause does, with what it is made of.
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
    let mut table = Table::new(title, &head);
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
                let values = metrics.map(|metric| {
                    let estimate = cell.estimate(metric);
                    estimate.map_or_else(String::new, |estimate| estimate.to_string())
                });
                let names = [change, scheme, homing].map(str::to_owned);
                table.push(names.into_iter().chain(values));
            }
        }
    }
    table
}
