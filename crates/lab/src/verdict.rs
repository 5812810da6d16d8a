use core::fmt;

use serde::{Deserialize, Serialize};

use crate::{Evidence, Ruling};

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

    /// The judgement that a claim cannot be measured on this machine.
    #[must_use]
    pub fn not_testable(reason: impl Into<String>) -> Self {
        Self {
            ruling: Ruling::not_testable(),
            ours: String::new(),
            why: reason.into(),
        }
    }
}
