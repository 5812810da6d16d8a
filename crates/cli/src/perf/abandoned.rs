//! Messages abandoned during a test (RFC 3758).

use serde::{Deserialize, Serialize};
use sheave::Association;
use sheave::stats::{Abandonments, Policy};

/// Messages abandoned by one end, by reason (RFC 7496 §4.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abandoned {
    /// The lifetime expired.
    pub timed: Count,
    /// A chunk reached the limit of retransmissions.
    pub retransmissions: Count,
    /// The message made room for one of higher priority.
    pub priority: Count,
}

/// Abandoned messages for one reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Abandoned before any part was sent.
    pub unsent: u64,
    /// Abandoned after some or all of the message was sent.
    pub sent: u64,
}

impl Abandoned {
    /// Messages abandoned by an association so far; 0 once it is closed.
    pub fn of(association: &Association) -> Self {
        let count = |policy| Count::from(association.abandonments(policy));
        Self {
            timed: count(Policy::Timed),
            retransmissions: count(Policy::Retransmissions),
            priority: count(Policy::Priority),
        }
    }

    /// Messages abandoned since `base`.
    pub fn since(&self, base: &Self) -> Self {
        self.with(base, u64::saturating_sub)
    }

    /// The total over every reason.
    pub fn total(&self) -> u64 {
        let counts = [self.timed, self.retransmissions, self.priority];
        counts.iter().map(|count| count.unsent + count.sent).sum()
    }

    /// The number and reasons as text.
    pub fn text(&self) -> String {
        let reasons = [
            ("too late", self.timed),
            ("sent too often", self.retransmissions),
            ("less important", self.priority),
        ];
        let reasons: Vec<String> = reasons
            .into_iter()
            .filter(|(_, count)| *count != Count::default())
            .map(|(reason, Count { unsent, sent })| {
                format!("{reason}: {unsent} unsent, {sent} begun")
            })
            .collect();
        match reasons.len() {
            0 => self.total().to_string(),
            _ => format!("{} ({})", self.total(), reasons.join("; ")),
        }
    }

    fn with(&self, other: &Self, act: fn(u64, u64) -> u64) -> Self {
        let pair = |one: Count, other: Count| Count {
            unsent: act(one.unsent, other.unsent),
            sent: act(one.sent, other.sent),
        };
        Self {
            timed: pair(self.timed, other.timed),
            retransmissions: pair(self.retransmissions, other.retransmissions),
            priority: pair(self.priority, other.priority),
        }
    }
}

impl<'a> std::iter::Sum<&'a Self> for Abandoned {
    fn sum<I: Iterator<Item = &'a Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| {
            sum.with(one, u64::saturating_add)
        })
    }
}

impl From<Abandonments> for Count {
    fn from(Abandonments { unsent, sent }: Abandonments) -> Self {
        Self { unsent, sent }
    }
}

#[cfg(test)]
mod tests;
