//! Failure of the primary path.

use super::shown;
use crate::studies::failover::plan::{BOTH, MESSAGES, RULES, other_ways_to_die};
use crate::studies::failover::{DEATH, NAME};
use crate::{Cell, Chart, Curve, Exhibit, Point, Settings, Summary, Table};

/// The workload and cut for which all limits are run.
const FIRST: (&str, &str) = (MESSAGES, BOTH);
/// The words that select those runs.
const FIRST_SAYS: [&str; 2] = ["workload = messages", "cut = both"];

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let mut exhibits = vec![Exhibit::Table(deaths(summary))];
    for (metric, title) in [
        (
            "left_s",
            "From the death of the primary path until new data takes the other one",
        ),
        (
            "delay_mean_s",
            "Mean time that a message takes while the primary path dies",
        ),
    ] {
        exhibits.push(Exhibit::Chart(death(summary, metric, title)));
    }
    exhibits.push(Exhibit::Table(others(summary)));
    exhibits
}

/// The cell of a workload and cut, with a rule and Path.Max.Retrans.
fn dead<'a>(
    summary: &'a Summary,
    (workload, cut): (&str, &str),
    rule: &str,
    limit: u16,
) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("workload", workload)
        .with("cut", cut)
        .with("rule", rule);
    summary.cell(NAME, DEATH, &some.with("path_max_retrans", limit))
}

fn deaths(summary: &Summary) -> Table {
    let mut head = vec!["Path.Max.Retrans".to_owned(), "sum of timeouts".to_owned()];
    for rule in RULES {
        head.push(format!("{rule}: new data elsewhere"));
        head.push(format!("{rule}: given up"));
        head.push(format!("{rule}: left before it died"));
    }
    let table = Table::with_head(
        "The primary path dies: seconds until new data takes the other one, and until the \
                path is given up; beside it the sum of the Path.Max.Retrans + 1 timeouts that are \
                waited for, were the first one 1 s. Runs in which the path had been left before it \
                died, for a round trip longer than the timeout, are counted apart",
        head,
    );
    let mut table = table.with_runs(DEATH, &FIRST_SAYS);
    for limit in 0..=5_u16 {
        let sum = (1_u32 << (limit + 1)) - 1;
        let mut row = vec![limit.to_string(), sum.to_string()];
        for rule in RULES {
            let cell = dead(summary, FIRST, rule, limit);
            row.extend(["left_s", "given_up_s"].map(|metric| shown(cell, metric)));
            row.push(too_soon(cell));
        }
        table.push(row);
    }
    table
}

fn death(summary: &Summary, metric: &str, title: &str) -> Chart {
    let chart = Chart::new(title, "Path.Max.Retrans", "s").with_log_y();
    let mut chart = chart.with_runs(DEATH, &FIRST_SAYS);
    for rule in RULES {
        let points = (0..=5_u16).filter_map(|limit| {
            let estimate = dead(summary, FIRST, rule, limit)?.estimate(metric)?;
            Some(Point::estimate(f64::from(limit), estimate))
        });
        chart.push(Curve::new(rule, points));
    }
    chart
}

/// Failures during bulk transfer, and failures in one direction.
fn others(summary: &Summary) -> Table {
    let mut head = ["workload", "cut", "Path.Max.Retrans"]
        .map(str::to_owned)
        .to_vec();
    for rule in RULES {
        head.push(format!("{rule}: new data elsewhere"));
        head.push(format!("{rule}: left before it died"));
    }
    let table = Table::with_head(
        "The same under bulk transfer, and where only data (there) or only what answers it \
                (back) does not arrive any more: seconds until new data takes the other path. What \
                was left before it died, as a full queue makes round trips longer than the timeout, \
                is counted apart",
        head,
    );
    let mut table = table.with_runs(DEATH, &[]);
    for (workload, cut) in other_ways_to_die() {
        for limit in 0..=5_u16 {
            let cells = RULES.map(|rule| dead(summary, (workload, cut), rule, limit));
            if cells.iter().all(Option::is_none) {
                continue;
            }
            let mut row = vec![workload.to_owned(), cut.to_owned(), limit.to_string()];
            for cell in cells {
                row.push(shown(cell, "left_s"));
                row.push(too_soon(cell));
            }
            table.push(row);
        }
    }
    table
}

/// The share of runs in which the path was left before it failed.
fn too_soon(cell: Option<&Cell>) -> String {
    let share = cell.and_then(|cell| cell.mean("left_too_soon"));
    share.map_or_else(String::new, |share| format!("{:.0} %", share * 100.0))
}
