use core::fmt;

use serde::{Deserialize, Serialize};

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It holds here, too.
    Reproduced,
    /// A part of it holds, or it holds under some of the conditions.
    Partly,
    /// It does not hold here.
    NotReproduced,
    /// What would have to be measured cannot be measured here.
    NotTestable,
}

impl Verdict {
    /// `Reproduced` if all hold, `NotReproduced` if none does, else `Partly`.
    #[must_use]
    pub fn of(parts: &[bool]) -> Self {
        let holding = parts.iter().filter(|holds| **holds).count();
        if holding == 0 {
            Self::NotReproduced
        } else if holding == parts.len() {
            Self::Reproduced
        } else {
            Self::Partly
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reproduced => "reproduced",
            Self::Partly => "partly",
            Self::NotReproduced => "not reproduced",
            Self::NotTestable => "not testable here",
        })
    }
}

/// A verdict with our number and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Our numbers, to stand beside the paper's.
    pub ours: String,
    /// One sentence why.
    pub why: String,
}

impl Judgement {
    /// It cannot be measured here, for this reason.
    #[must_use]
    pub fn not_testable(reason: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::NotTestable,
            ours: String::new(),
            why: reason.into(),
        }
    }
}
