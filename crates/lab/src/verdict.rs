use core::fmt;

use serde::{Deserialize, Serialize};

use crate::{Evidence, Ruling, Summary};

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The claim also holds here.
    Reproduced,
    /// Part of the claim holds, or the claim holds under some conditions.
    Partly,
    /// The claim does not hold here.
    NotReproduced,
    /// The evidence is insufficient.
    Undecided,
    /// The claim cannot be measured here.
    NotTestable,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reproduced => "reproduced",
            Self::Partly => "partly",
            Self::NotReproduced => "not reproduced",
            Self::Undecided => "undecided",
            Self::NotTestable => "not testable here",
        })
    }
}

/// A verdict with our numbers and the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The verdict and its error.
    pub ruling: Ruling,
    /// Our numbers, shown beside the paper's.
    pub ours: String,
    /// The reason, in one sentence.
    pub why: String,
}

impl Judgement {
    /// Judges a claim from the evidence for its parts.
    pub(crate) fn new(
        parts: Vec<Evidence>,
        ours: impl Into<String>,
        why: impl Into<String>,
    ) -> Self {
        Self {
            ruling: Ruling::of(parts),
            ours: ours.into(),
            why: why.into(),
        }
    }

    /// Judges a claim from the evidence for its parts; the reason is the number of parts that hold.
    pub(crate) fn counted(parts: Vec<Evidence>, ours: impl Into<String>) -> Self {
        let why = Evidence::counted(&parts);
        Self::new(parts, ours, why)
    }

    /// Judges a claim case by case: `each` gives the evidence of a case and our numbers; the reason
    /// is the number of parts that hold. `None` if a case lacks them, and without cases.
    pub(crate) fn count_each<T>(
        cases: impl IntoIterator<Item = T>,
        each: impl FnMut(T) -> Option<(Vec<Evidence>, String)>,
    ) -> Option<Self> {
        let cases: Option<Vec<_>> = cases.into_iter().map(each).collect();
        let (parts, ours): (Vec<_>, Vec<_>) = cases?.into_iter().unzip();
        (!ours.is_empty()).then(|| Self::counted(parts.concat(), ours.join("; ")))
    }

    /// The judgement that a claim cannot be measured on this machine.
    #[must_use]
    pub fn not_testable(reason: impl Into<String>) -> Self {
        Self {
            ruling: Ruling::not_testable(),
            ours: String::new(),
            why: reason.into(),
        }
    }

    /// The judgement of `judge`, or that the claim cannot be tested if a run of the experiment was
    /// skipped on this machine.
    pub(crate) fn if_tested(
        (summary, study, experiment): (&Summary, &str, &str),
        judge: impl FnOnce() -> Option<Self>,
    ) -> Option<Self> {
        match summary.skipped(study, experiment) {
            Some(reason) => Some(Self::not_testable(reason)),
            None => judge(),
        }
    }
}
