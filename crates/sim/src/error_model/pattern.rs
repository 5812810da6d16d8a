use std::sync::Arc;

use sheave_engine::Time;

use super::{ErrorModel, Hit};

/// A recorded sequence of selected packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    hits: Arc<[bool]>,
    after: After,
}

/// The continuation after the end of a [`Pattern`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    Repeat,
    Nothing,
}

impl Pattern {
    /// Parses a pattern: one character per packet, `1` if it is selected and `0` if not, repeated
    /// endlessly; white space is ignored. `None` if there is any other character, or the pattern is
    /// empty.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hits: Option<Arc<[bool]>> = text
            .chars()
            .filter(|char| !char.is_whitespace())
            .map(|char| match char {
                '0' => Some(false),
                '1' => Some(true),
                _ => None,
            })
            .collect();
        let hits = hits.filter(|hits| !hits.is_empty())?;
        Some(Self {
            hits,
            after: After::Repeat,
        })
    }

    /// Selects the packets with these numbers, counted from 1, and no others.
    #[must_use]
    pub fn numbers(numbers: &[usize]) -> Self {
        let last = numbers.iter().copied().max().unwrap_or(0);
        Self {
            hits: (1..=last).map(|n| numbers.contains(&n)).collect(),
            after: After::Nothing,
        }
    }
}

/// State of a pattern.
#[derive(Debug)]
pub(super) struct Player {
    pattern: Pattern,
    at: usize,
}

impl Player {
    pub(super) const fn new(pattern: Pattern) -> Self {
        Self { pattern, at: 0 }
    }
}

impl ErrorModel for Player {
    fn judge(&mut self, _now: Time, _len: u32) -> Hit {
        if self.at == self.pattern.hits.len() && self.pattern.after == After::Repeat {
            self.at = 0;
        }
        let hit = self.pattern.hits.get(self.at).copied().unwrap_or(false);
        self.at = (self.at + 1).min(self.pattern.hits.len());
        hit.into()
    }
}
