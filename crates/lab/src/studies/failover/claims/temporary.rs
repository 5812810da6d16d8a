//! FO-10: failovers that nobody needed.

use crate::studies::failover::plan::EXPOSED;
use crate::studies::failover::{NAME, TEMPORARY};
use crate::{Cell, Claim, Estimate, Judgement, Settings, Summary, Verdict};

/// The paper's Path.Max.Retrans: the default.
const DEFAULT: f64 = 5.0;

pub(super) fn claim() -> Claim {
    Claim {
        id: "FO-10",
        statement: "early decrease prevents unnecessary failovers under temporary congestion",
        paper: "they happen; they are prevented",
        rule: "A path that is overloaded for a while and never down, Path.Max.Retrans 0 to 5; \
               counted is how often it is given up, over all settings and seeds. Reproduced if \
               the standard algorithm does so, and early decrease with one of its triggers beyond \
               doubt less often (95 %, seed by seed), and by half at least; partly if less often \
               beyond doubt, but by less than half; else not reproduced.",
        judge,
    }
}

/// How often the path was given up: the cells of one of the exposed, in the order of the settings.
pub(in crate::studies::failover) fn cells<'a>(
    summary: &'a Summary,
    (_, algorithm, rule): (&str, &str, &str),
) -> Vec<&'a Cell> {
    let some = Settings::new()
        .with("algorithm", algorithm)
        .with("rule", rule);
    summary.cells(NAME, TEMPORARY, &some)
}

/// How often in all.
fn total(cells: &[&Cell]) -> f64 {
    let values = cells.iter().flat_map(|cell| cell.values("failovers"));
    values.sum()
}

/// The differences of a modified algorithm from the standard one, run by run.
fn differences(standard: &[&Cell], modified: &[&Cell]) -> Vec<f64> {
    let pairs = standard.iter().zip(modified).flat_map(|(one, other)| {
        let (one, other) = (one.values("failovers"), other.values("failovers"));
        one.into_iter().zip(other)
    });
    pairs.map(|(one, other)| other - one).collect()
}

fn judge(summary: &Summary) -> Option<Judgement> {
    let [standard, heartbeat, always, potentially] = EXPOSED.map(|exposed| cells(summary, exposed));
    if standard.is_empty() || heartbeat.is_empty() || always.is_empty() {
        return None;
    }
    let verdict = [&heartbeat, &always]
        .map(|modified| prevented(&standard, modified))
        .into_iter()
        .max_by(f64::total_cmp)
        .map_or(Verdict::NotReproduced, |share| match share {
            0.5.. => Verdict::Reproduced,
            share if share > 0.0 => Verdict::Partly,
            _ => Verdict::NotReproduced,
        });
    let default = |cells: &[&Cell]| {
        let at = |cell: &&&Cell| cell.settings.number("path_max_retrans") == DEFAULT;
        total(&cells.iter().filter(at).copied().collect::<Vec<_>>())
    };
    let runs = |cells: &[&Cell]| -> usize {
        cells
            .iter()
            .map(|cell| cell.values("failovers").len())
            .sum()
    };
    let ours = EXPOSED
        .iter()
        .zip([&standard, &heartbeat, &always, &potentially])
        .map(|((name, ..), cells)| {
            format!(
                "{name}: {} in {} runs, {} of them at Path.Max.Retrans 5",
                total(cells),
                runs(cells),
                default(cells)
            )
        });
    let sent: f64 = (heartbeat.iter())
        .flat_map(|cell| cell.values("primary_heartbeats"))
        .sum();
    Some(Judgement {
        verdict,
        ours: ours.collect::<Vec<_>>().join("; "),
        why: format!(
            "A path is given up after Path.Max.Retrans + 1 timeouts in a row. After the first of \
             them the window is one packet and below its threshold, so that there is nothing to \
             cut; and heartbeats ({sent} left on the primary path in all runs of that trigger \
             together) go out only where nothing else does. A larger Path.Max.Retrans prevents \
             needless failovers with every algorithm: RFC 9260's 5 stands congestion of 63 s. RFC \
             7829 leaves the path at the first timeout, but returns with the first answer."
        ),
    })
}

/// The share of the standard algorithm's failovers that a modified one prevents; 0 where the seeds
/// do not show that it prevents any.
fn prevented(standard: &[&Cell], modified: &[&Cell]) -> f64 {
    match Estimate::of(&differences(standard, modified)) {
        Some(change) if change.high() < 0.0 => 1.0 - total(modified) / total(standard),
        _ => 0.0,
    }
}
