//! Temporary congestion.

use super::shown;
use crate::studies::failover::plan::EXPOSED;
use crate::studies::failover::{NAME, TEMPORARY};
use crate::{Cell, Chart, Curve, Exhibit, Point, Settings, Summary, Table};

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let spells = summary.numbers(NAME, TEMPORARY, "spell_s");
    if spells.is_empty() {
        return Vec::new();
    }
    let mut exhibits = vec![Exhibit::Table(failovers(summary, &spells))];
    exhibits.extend(
        spells
            .iter()
            .map(|spell| Exhibit::Chart(chart(summary, *spell))),
    );
    exhibits
}

fn cell<'a>(
    summary: &'a Summary,
    spell: f64,
    limit: u16,
    (_, algorithm, rule): (&str, &str, &str),
) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("spell_s", spell)
        .with("path_max_retrans", limit)
        .with("algorithm", algorithm)
        .with("rule", rule);
    summary.cell(NAME, TEMPORARY, &some)
}

fn failovers(summary: &Summary, spells: &[f64]) -> Table {
    let mut head = vec![
        "congested for (s)".to_owned(),
        "Path.Max.Retrans".to_owned(),
    ];
    head.extend(EXPOSED.map(|(name, ..)| format!("{name}: given up")));
    head.extend(EXPOSED.map(|(name, ..)| format!("{name}: left")));
    head.extend(EXPOSED.map(|(name, ..)| format!("{name}: away (s)")));
    let table = Table::with_head(
        "Temporary congestion of a path that is never down: how often it was given up, how \
                often new data left it (given up or potentially failed), and for how long in all, \
                a run of 150 s",
        head,
    );
    let mut table = table.with_runs(TEMPORARY, &[]);
    for spell in spells {
        for limit in 0..=5_u16 {
            let mut row = vec![spell.to_string(), limit.to_string()];
            for metric in ["failovers", "primary_changes", "away_s"] {
                row.extend(
                    EXPOSED.map(|exposed| shown(cell(summary, *spell, limit, exposed), metric)),
                );
            }
            table.push(row);
        }
    }
    table
}

fn chart(summary: &Summary, spell: f64) -> Chart {
    let title = format!("Times that new data left a path congested for {spell} s");
    let chart = Chart::new(&title, "Path.Max.Retrans", "times a run");
    let mut chart = chart.with_runs(TEMPORARY, &[&format!("spell_s = {spell}")]);
    for exposed in EXPOSED {
        let points = (0..=5_u16).filter_map(|limit| {
            let estimate = cell(summary, spell, limit, exposed)?.estimate("primary_changes")?;
            Some(Point::estimate(f64::from(limit), estimate))
        });
        chart.push(Curve::new(exposed.0, points));
    }
    chart
}
