mod buffer;
mod surface;

use super::CONGESTION;
use super::paper::{self, QUANTITIES};
use super::plan::{ALGORITHMS, QUEUES};
use crate::{Cell, Chart, Curve, Exhibit, Summary, Table};

/// The paper's vectors: name, title, unit.
const COURSES: [(&str, &str, &str); 6] = [
    (
        "cwnd",
        "Figures 12, 13: congestion window of the primary path",
        "bytes",
    ),
    (
        "rto_s",
        "Figures 14, 15: retransmission timeout of the primary path",
        "s",
    ),
    (
        "rtt_s",
        "Figures 16, 17: measured round trips of the primary path",
        "s",
    ),
    (
        "delay_s",
        "Figures 18, 19: time that each message took",
        "s",
    ),
    ("received_bytes", "Figures 20, 21: bytes received", "bytes"),
    (
        "rwnd",
        "Figure 22 and the one after it: advertised window",
        "bytes",
    ),
];

pub(super) fn exhibits(which: &str, summary: &Summary) -> Vec<Exhibit> {
    match which {
        "surface" => surface::exhibits(summary),
        "buffer" => buffer::exhibits(summary),
        _ => comparison(summary),
    }
}

fn comparison(summary: &Summary) -> Vec<Exhibit> {
    let mut exhibits = vec![Exhibit::Table(columns(summary))];
    exhibits.extend(chance(summary).map(Exhibit::Note));
    exhibits.push(Exhibit::Note(PAPER.to_owned()));
    for (name, title, unit) in COURSES {
        exhibits.push(Exhibit::Chart(course(summary, name, title, unit)));
    }
    exhibits
}

const PAPER: &str = "What the paper's own tables say of its two runs: its RTO vector has 6 entries \
     more than its RTT vector with the standard algorithm (42 and 36) and 4 more with the \
     modified one (40 and 36). Entries without a measurement are timeouts, so that its two runs \
     differ by two timeouts, of a second or more each. Of the 3 s between its two lifetimes 1.1 s \
     lie after the last entry of the standard run, the length of a lost SHUTDOWN. Its throughput \
     is 3.2 Mbit over the lifetime, to the digit.";

fn shown(cell: Option<&Cell>, metric: &str) -> String {
    let estimate = cell.and_then(|cell| cell.estimate(metric));
    estimate.map_or_else(String::new, |estimate| estimate.to_string())
}

fn columns(summary: &Summary) -> Table {
    let head = [
        "claim",
        "quantity",
        "paper, standard",
        "paper, modified",
        "queue",
        "standard",
        "heartbeat",
        "always",
    ];
    let mut table = Table::new("The paper's columns and ours", &head).with_runs(CONGESTION, &[]);
    for quantity in QUANTITIES.iter() {
        for queue in QUEUES {
            let papers = [
                quantity.claim.clone(),
                quantity.name.clone(),
                quantity.standard.to_string(),
                quantity.modified.to_string(),
                queue.to_owned(),
            ];
            let ours = ALGORITHMS
                .map(|algorithm| shown(paper::cell(summary, algorithm, queue), &quantity.metric));
            table.push(papers.into_iter().chain(ours));
        }
    }
    for (name, metric) in [
        ("timeouts", "timeouts"),
        ("fast retransmissions", "fast_retransmissions"),
        ("heartbeats on the primary path", "primary_heartbeats"),
        ("failovers", "failovers"),
        ("windows advertised", "rwnd_count"),
        ("smallest of them (bytes)", "rwnd_min"),
    ] {
        for queue in QUEUES {
            let papers = match metric {
                "rwnd_count" => ["95", "96"],
                "rwnd_min" => ["5535", "0"],
                _ => [""; 2],
            };
            let names = ["", name, papers[0], papers[1], queue].map(str::to_owned);
            let ours =
                ALGORITHMS.map(|algorithm| shown(paper::cell(summary, algorithm, queue), metric));
            table.push(names.into_iter().chain(ours));
        }
    }
    table
}

/// The probability that two runs of the same algorithm differ as much as the paper's two runs.
fn chance(summary: &Summary) -> Option<String> {
    let lives = paper::cell(summary, "standard", "drop-tail")?.values("sender_life_s");
    let gain = 8.31 / 5.36;
    let (mut pairs, mut apart) = (0_u32, 0_u32);
    for (place, one) in lives.iter().enumerate() {
        for other in &lives[place + 1..] {
            pairs += 1;
            apart += u32::from((one / other).max(other / one) >= gain);
        }
    }
    (pairs > 0).then(|| {
        format!(
            "The paper compares one run with one run. Of {pairs} pairs of runs of the standard \
             algorithm on the network that was found, which differ in nothing but the seed, {:.0} \
             % have lifetimes that differ by the factor {gain:.2} or more that the paper ascribes \
             to its modification.",
            f64::from(apart) * 100.0 / f64::from(pairs)
        )
    })
}

fn course(summary: &Summary, series: &str, title: &str, unit: &str) -> Chart {
    let title = format!("{title}, first seed");
    let chart = Chart::new(&title, "time (s)", unit);
    let mut chart = chart.with_runs(CONGESTION, &["queue = drop-tail", "seed 1"]);
    let mut drawn: Vec<(String, &[(f64, f64)])> = Vec::new();
    for algorithm in ALGORITHMS {
        let cell = paper::cell(summary, algorithm, "drop-tail");
        let Some(series) = cell.and_then(|cell| cell.series(series)) else {
            continue;
        };
        // Identical algorithms share a curve.
        match drawn
            .iter_mut()
            .find(|(_, points)| *points == series.points)
        {
            Some((name, _)) => *name = format!("{name} and {algorithm}, the same"),
            None => drawn.push((algorithm.to_owned(), &series.points)),
        }
    }
    for (name, points) in drawn {
        chart.push(Curve::of_series(&name, points));
    }
    chart
}
