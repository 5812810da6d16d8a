use core::fmt;

use crate::{Finding, Judgement, Verdict};

/// Agreement between the verdicts of two result sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Claims that both result sets decide.
    pub decided: usize,
    /// Claims that only one result set decides.
    pub decided_by_one: usize,
    /// Claims with different decided verdicts: the claim's id and both verdicts.
    pub differing: Vec<(String, Verdict, Verdict)>,
}

impl Agreement {
    /// Compares two sets of findings, claim by claim; a claim's verdict for today's transports
    /// counts as a claim of its own.
    #[must_use]
    pub fn of<'a>(
        one: impl Iterator<Item = &'a Finding>,
        other: impl Iterator<Item = &'a Finding>,
    ) -> Self {
        let others: Vec<&Finding> = other.collect();
        let mut agreement = Self::default();
        for finding in one {
            let id = finding.claim.id.as_str();
            let Some(other) = others.iter().find(|other| other.claim.id == id) else {
                continue;
            };
            agreement.compare(id, [&finding.judgement, &other.judgement]);
            agreement.compare(&format!("{id}, today"), [&finding.today, &other.today]);
        }
        agreement
    }

    fn compare(&mut self, claim: &str, both: [&Option<Judgement>; 2]) {
        let [one, other] = both.map(|judgement| decided(judgement.as_ref()));
        match (one, other) {
            (Some(one), Some(other)) => {
                self.decided += 1;
                if one != other {
                    self.differing.push((claim.to_owned(), one, other));
                }
            }
            (None, None) => {}
            _ => self.decided_by_one += 1,
        }
    }

    /// Share of equal verdicts among the claims that both decide; 1 if they decide none.
    pub fn share(&self) -> f64 {
        match self.decided {
            0 => 1.0,
            decided => 1.0 - self.differing.len() as f64 / decided as f64,
        }
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} claims are decided by both and {} by one of them; of the former {:.1} % agree",
            self.decided,
            self.decided_by_one,
            100.0 * self.share()
        )
    }
}

fn decided(judgement: Option<&Judgement>) -> Option<Verdict> {
    let verdict = judgement?.ruling.verdict;
    let open = [Verdict::Undecided, Verdict::NotTestable].contains(&verdict);
    (!open).then_some(verdict)
}
