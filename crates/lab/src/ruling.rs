use crate::evidence::{Condition, Evidence, distinct};
use crate::{Finding, Verdict};

/// Largest probability that a report makes any wrong statement.
pub const ERROR: f64 = 0.05;

/// Most times that a study examines its records to decide whether it needs more runs. Each look may
/// mislead, so the error is divided among the looks.
pub const LOOKS: u32 = 3;

/// The correction for many claims, for the readers of a report.
pub(crate) const STATED: &str = "A verdict is given where its error is small enough: over all claims of \
     this report, those of the papers once more with today's transports, and over up to three looks at growing numbers of seeds, at most 5 % (Holm's \
     correction; Student's t, seed by seed, from 5 seeds on, and the sign test where all seeds agree \
     to the digit). Where it is not, the verdict is \"undecided\". Means within 1 % of each other are a tie.";

/// A verdict based on evidence, with its error.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    /// The verdict.
    pub verdict: Verdict,
    /// The verdict that the evidence favours, however weakly.
    pub leaning: Verdict,
    /// Probability of evidence at least this strong if the leaning were wrong.
    pub error: f64,
    /// The evidence for each part of the claim.
    parts: Vec<Evidence>,
}

impl Ruling {
    /// Rules `Reproduced` if all parts hold, `NotReproduced` if none does, `Partly` if some hold
    /// and some fail; `Undecided` if the error of that verdict exceeds [`ERROR`] divided by the
    /// number of looks.
    #[must_use]
    pub fn of(parts: Vec<Evidence>) -> Self {
        let holds = || parts.iter().map(|part| part.holds);
        let fails = || parts.iter().map(|part| part.fails);
        // Choosing one holding and one failing part means having examined all of them.
        let partly = holds().fold(1.0, f64::min).max(fails().fold(1.0, f64::min));
        let partly = (partly * parts.len() as f64).min(1.0);
        let errors = [
            (Verdict::Reproduced, holds().fold(0.0, f64::max)),
            (Verdict::NotReproduced, fails().fold(0.0, f64::max)),
            (Verdict::Partly, partly),
        ];
        let (leaning, error) = errors
            .into_iter()
            .filter(|_| !parts.is_empty())
            .min_by(|one, other| one.1.total_cmp(&other.1))
            .unwrap_or((Verdict::Undecided, 1.0));
        Self::leaning(leaning, error, parts)
    }

    /// Creates a ruling whose verdict and error come from a rule of the claim's own.
    #[must_use]
    pub fn leaning(leaning: Verdict, error: f64, parts: Vec<Evidence>) -> Self {
        let verdict = if error <= ERROR / f64::from(LOOKS) {
            leaning
        } else {
            Verdict::Undecided
        };
        Self {
            verdict,
            leaning,
            error,
            parts,
        }
    }

    /// The ruling for a claim that cannot be measured here.
    #[must_use]
    pub const fn not_testable() -> Self {
        Self {
            verdict: Verdict::NotTestable,
            leaning: Verdict::NotTestable,
            error: 0.0,
            parts: Vec::new(),
        }
    }

    /// The runs for which more seeds might decide the claim; empty if it is decided.
    pub fn wanting(&self) -> Vec<Condition> {
        if self.verdict != Verdict::Undecided {
            return Vec::new();
        }
        // Evidence that suffices even with a thousand claims needs no more runs.
        let least = ERROR / f64::from(LOOKS) / 1000.0;
        let open = |part: &&Evidence| part.holds.min(part.fails) > least;
        let open = self.parts.iter().filter(open);
        distinct(open.flat_map(|part| part.from.iter().cloned()))
    }
}

/// Holm's correction: keeps the verdicts whose error is small enough for the number of verdicts in
/// the report; the rest become `Undecided`.
pub(crate) fn correct(findings: &mut [&mut Finding]) {
    let mut rulings: Vec<&mut Ruling> = findings
        .iter_mut()
        .flat_map(|finding| finding.rulings_mut())
        .filter(|ruling| ruling.verdict != Verdict::NotTestable)
        .collect();
    rulings.sort_by(|one, other| one.error.total_cmp(&other.error));
    let (count, mut holds) = (rulings.len(), true);
    for (place, ruling) in rulings.into_iter().enumerate() {
        let level = ERROR / f64::from(LOOKS) / (count - place) as f64;
        holds &= ruling.error <= level;
        if !holds {
            ruling.verdict = Verdict::Undecided;
        }
    }
}

#[cfg(test)]
mod tests;
