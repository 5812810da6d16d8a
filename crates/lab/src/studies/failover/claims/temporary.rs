//! FO-10: unnecessary failovers.

use std::collections::BTreeMap;

use crate::studies::failover::plan::{EXPOSED, EXPOSED_TODAY};
use crate::studies::failover::{NAME, TEMPORARY};
use crate::studies::rivals::Era;
use crate::{Cell, Evidence, Judgement, Settings, Summary};

/// The paper's Path.Max.Retrans, the default.
const DEFAULT: u64 = 5;

/// The cells of one exposed association with counts of path failures, in the order of the settings.
pub(in crate::studies::failover) fn cells<'a>(
    summary: &'a Summary,
    (_, algorithm, rule): (&str, &str, &str),
) -> Vec<&'a Cell> {
    let some = Settings::new()
        .with("algorithm", algorithm)
        .with("rule", rule);
    summary.cells(NAME, TEMPORARY, &some)
}

/// Total of the counts.
fn total(cells: &[&Cell]) -> f64 {
    let values = cells.iter().flat_map(|cell| cell.values("failovers"));
    values.sum()
}

/// Per seed, the modified algorithm's failovers minus a share of the standard algorithm's.
fn differences(standard: &[&Cell], modified: &[&Cell], share: f64) -> Vec<f64> {
    let seeds = standard.first().map(|cell| cell.seeds("failovers"));
    let sum = |cells: &[&Cell], seed| -> Option<f64> {
        let at = |cell: &&Cell| cell.value_at("failovers", seed);
        cells.iter().map(at).sum()
    };
    let seeds = seeds.into_iter().flatten();
    let both = seeds.filter_map(|seed| Some((sum(standard, seed)?, sum(modified, seed)?)));
    both.map(|(standard, modified)| share * standard - modified)
        .collect()
}

pub(super) fn judge(summary: &Summary, era: Era) -> Option<Judgement> {
    let exposed: &[(&str, &str, &str)] = match era {
        Era::Papers => &EXPOSED,
        Era::Today => &EXPOSED_TODAY,
    };
    let all: Vec<Vec<&Cell>> = exposed.iter().map(|one| cells(summary, *one)).collect();
    let [standard, heartbeat, always, ..] = &all[..] else {
        return None;
    };
    if standard.is_empty() || heartbeat.is_empty() || always.is_empty() {
        return None;
    }
    let prevents = |share: f64| {
        let triggers = [heartbeat, always];
        Evidence::any(triggers.map(|one| prevents(standard, one, share)).to_vec())
    };
    let default = |cells: &[&Cell]| {
        let at = |cell: &&&Cell| limit(cell) == DEFAULT;
        total(&cells.iter().filter(at).copied().collect::<Vec<_>>())
    };
    let runs = |cells: &[&Cell]| -> usize {
        cells
            .iter()
            .map(|cell| cell.values("failovers").len())
            .sum()
    };
    let ours = exposed.iter().zip(&all).map(|((name, ..), cells)| {
        format!(
            "{name}: {} in {} runs, {} of them at Path.Max.Retrans 5",
            total(cells),
            runs(cells),
            default(cells)
        )
    });
    let parts = vec![prevents(1.0), prevents(0.5)];
    let why = match era {
        Era::Papers => why(heartbeat, &all),
        Era::Today => Evidence::counted(&parts),
    };
    let ours = ours.collect::<Vec<_>>().join("; ");
    Some(Judgement::new(parts, ours, why))
}

/// Causes of failovers: the heartbeats in runs with that trigger, and the number of failovers for
/// each limit.
fn why(heartbeat: &[&Cell], all: &[Vec<&Cell>]) -> String {
    let sent: f64 = (heartbeat.iter())
        .flat_map(|cell| cell.values("primary_heartbeats"))
        .sum();
    let mut by_limit: BTreeMap<u64, f64> = BTreeMap::new();
    for cell in all.iter().flatten() {
        let count: f64 = cell.values("failovers").iter().sum();
        *by_limit.entry(limit(cell)).or_default() += count;
    }
    let by_limit = by_limit.iter();
    let by_limit = by_limit.map(|(limit, count)| format!("{count} with {limit}"));
    format!(
        "A path is given up after Path.Max.Retrans + 1 timeouts in a row, after the first of which \
         the window is one packet and below its threshold: there is nothing to cut. Heartbeats, \
         which go out where nothing else does, left {sent} times on the primary path in all runs \
         of that trigger. Failovers by Path.Max.Retrans, all algorithms together: {}.",
        by_limit.collect::<Vec<_>>().join(", ")
    )
}

/// Path.Max.Retrans of a cell.
fn limit(cell: &Cell) -> u64 {
    cell.settings.whole("path_max_retrans")
}

/// Tests whether a modified algorithm has fewer failovers than a share of the standard algorithm's.
fn prevents(standard: &[&Cell], modified: &[&Cell], share: f64) -> Evidence {
    let mut evidence = Evidence::is_positive(&differences(standard, modified, share));
    let cells = standard.iter().chain(modified);
    evidence.from = cells.map(|cell| cell.condition()).collect();
    evidence
}
