//! FO-10: failovers that nobody needed.

use crate::studies::failover::plan::EXPOSED;
use crate::studies::failover::{NAME, TEMPORARY};
use crate::{Cell, Claim, Judgement, Settings, Summary, Verdict};

/// The paper's Path.Max.Retrans: the default.
const DEFAULT: f64 = 5.0;

pub(super) fn claim() -> Claim {
    Claim {
        id: "FO-10",
        statement: "early decrease prevents unnecessary failovers under temporary congestion",
        paper: "they happen; they are prevented",
        rule: "A path that is overloaded for a while and never down, Path.Max.Retrans 0 to 5. Two \
               parts: in some setting the standard algorithm gives the path up; over all settings \
               in which it does, early decrease with one of its triggers gives it up less often \
               beyond doubt (95 %, seed by seed). Partly if only the first holds and early \
               decrease gives it up as often; not reproduced if it gives it up more often with \
               both triggers, or if there is nothing to prevent.",
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

/// The sum over cells, seed by seed is not needed: each cell has all seeds.
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
    let happens = |cell: &&Cell| cell.mean("failovers").is_some_and(|mean| mean > 0.0);
    let verdict = if standard.iter().any(happens) {
        let changes = [&heartbeat, &always].map(|modified| Change::of(&standard, modified));
        match changes {
            [Change::Less, _] | [_, Change::Less] => Verdict::Reproduced,
            [Change::More, Change::More] => Verdict::NotReproduced,
            _ => Verdict::Partly,
        }
    } else {
        Verdict::NotReproduced
    };
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
            "A path is given up after Path.Max.Retrans + 1 timeouts in a row. Cutting the window \
             does not prevent them: it leaves fewer packets in flight whose gap reports could \
             save a timeout. The `heartbeat` trigger has little to go by: {sent} heartbeats left on \
             the primary path in all its runs together. A larger Path.Max.Retrans prevents \
             them with every algorithm; RFC 7829 leaves the path sooner and returns sooner."
        ),
    })
}

/// What becomes of the number of failovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Less,
    None,
    More,
}

impl Change {
    fn of(standard: &[&Cell], modified: &[&Cell]) -> Self {
        match crate::Estimate::of(&differences(standard, modified)) {
            Some(change) if change.high() < 0.0 => Self::Less,
            Some(change) if change.low() > 0.0 => Self::More,
            _ => Self::None,
        }
    }
}
