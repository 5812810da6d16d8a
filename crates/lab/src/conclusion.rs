use core::fmt;

use crate::{Judgement, Verdict};

/// Whether a paper's conclusion still holds with today's transports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Conclusion {
    /// The conclusion still holds.
    Stands,
    /// Part of the conclusion still holds.
    StandsPartly,
    /// The conclusion no longer holds.
    Falls,
    /// The evidence is insufficient.
    Undecided,
    /// The conclusion cannot be measured on this machine.
    NotTestable,
    /// The conclusion compares something that no longer exists.
    NotComparable,
    /// The required runs are missing.
    NotRun,
}

impl Conclusion {
    /// The variants, in the order of a table's columns.
    pub const ALL: [Self; 7] = [
        Self::Stands,
        Self::StandsPartly,
        Self::Falls,
        Self::Undecided,
        Self::NotTestable,
        Self::NotComparable,
        Self::NotRun,
    ];

    /// The conclusion that follows from a judgement.
    #[must_use]
    pub fn of(judgement: Option<&Judgement>) -> Self {
        match judgement.map(|judgement| judgement.ruling.verdict) {
            Some(Verdict::Reproduced) => Self::Stands,
            Some(Verdict::Partly) => Self::StandsPartly,
            Some(Verdict::NotReproduced) => Self::Falls,
            Some(Verdict::Undecided) => Self::Undecided,
            Some(Verdict::NotTestable) => Self::NotTestable,
            None => Self::NotRun,
        }
    }

    /// The text for `count` conclusions of this kind.
    pub(crate) fn counted(self, count: usize) -> String {
        let one = count == 1;
        let fate = match self {
            Self::Stands if one => "stands",
            Self::Stands => "stand",
            Self::StandsPartly if one => "stands in part",
            Self::StandsPartly => "stand in part",
            Self::Falls if one => "does not stand",
            Self::Falls => "do not stand",
            Self::NotRun if one => "was not run",
            Self::NotRun => "were not run",
            Self::Undecided | Self::NotTestable | Self::NotComparable => {
                let verb = if one { "is" } else { "are" };
                return format!("{count} {verb} {self}");
            }
        };
        format!("{count} {fate}")
    }

    /// The conclusion in words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Stands => "stands",
            Self::StandsPartly => "stands in part",
            Self::Falls => "does not stand",
            Self::Undecided => "undecided",
            Self::NotTestable => "not testable here",
            Self::NotComparable => "not comparable",
            Self::NotRun => "not run",
        }
    }
}

impl fmt::Display for Conclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}
