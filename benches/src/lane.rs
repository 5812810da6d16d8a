use std::fmt;

use sheave_measure::pair::UserData;

/// The way in which the application makes the data that a stack is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Each message is written before it is sent, as programs do.
    Fresh,
    /// A single buffer, written once, is sent again and again.
    Shared,
}

impl Lane {
    const ALL: [Self; 2] = [Self::Fresh, Self::Shared];

    /// The messages of the lane.
    #[must_use]
    pub fn data(self, size: usize) -> UserData {
        match self {
            Self::Fresh => UserData::fresh(size),
            Self::Shared => UserData::shared(size),
        }
    }

    /// The lane of that name, by which programs of their own are told.
    #[must_use]
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
