use core::fmt;

use crate::{Judgement, Summary};

/// Something that a paper claims, and the rule by which it is judged here.
#[derive(Clone, Copy)]
pub struct Claim {
    /// Its name, as in the list of studies.
    pub id: &'static str,
    /// What is claimed.
    pub statement: &'static str,
    /// The published value.
    pub paper: &'static str,
    /// The rule in words.
    pub rule: &'static str,
    /// The rule. `None` where the records that it needs are not there.
    pub judge: fn(&Summary) -> Option<Judgement>,
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim")
            .field("id", &self.id)
            .field("statement", &self.statement)
            .finish_non_exhaustive()
    }
}

/// A claim and what became of it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The claim.
    pub claim: Claim,
    /// The judgement; `None` where it was not run.
    pub judgement: Option<Judgement>,
}

impl Finding {
    /// Holds a claim against the records.
    #[must_use]
    pub fn new(claim: Claim, summary: &Summary) -> Self {
        Self {
            claim,
            judgement: (claim.judge)(summary),
        }
    }

    /// Our numbers, and why the verdict is what it is.
    #[must_use]
    pub fn account(&self) -> (&str, &str) {
        match &self.judgement {
            Some(judgement) => (&judgement.ours, &judgement.why),
            None => (
                "",
                "Some of the runs that it needs were not made; --full makes all.",
            ),
        }
    }

    /// The verdict in words.
    #[must_use]
    pub fn verdict(&self) -> String {
        match &self.judgement {
            Some(judgement) => judgement.verdict.to_string(),
            None => "not run".to_owned(),
        }
    }
}
