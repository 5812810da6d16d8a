use std::fmt;

use sheave_measure::pair::UserData;

/// Source of the data that the application transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Each message is written before it is sent, as in real programs.
    Fresh,
    /// A single buffer, written once, is sent repeatedly.
    Shared,
}

impl Lane {
    const ALL: [Self; 2] = [Self::Fresh, Self::Shared];

    /// Messages of the lane.
    pub fn data(self, size: usize) -> UserData {
        match self {
            Self::Fresh => UserData::fresh(size),
            Self::Shared => UserData::shared(size),
        }
    }

    /// Parses a lane's name, as used to instruct separate programs.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lane| lane.to_string() == name)
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Fresh => "fresh",
            Self::Shared => "shared",
        })
    }
}
