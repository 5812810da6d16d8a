//! Error models select packets of a link; the link decides what happens to them.

mod bit_errors;
mod gilbert;
mod pattern;

use core::fmt::Debug;

use sheave_engine::Time;

pub use bit_errors::BitErrorRate;
pub use gilbert::{Gilbert, Reading, State};
pub use pattern::Pattern;

pub(crate) use bit_errors::BitErrors;

use crate::{Probability, Random};

/// An error model, which selects packets.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Errors {
    /// No packets.
    #[default]
    None,
    /// Each packet with equal probability.
    Uniform(Probability),
    /// Packets with at least one bit error.
    BitErrors(BitErrorRate),
    /// A channel with a good and a bad state (Gilbert and Elliott).
    Gilbert(Gilbert),
    /// A recorded pattern.
    Pattern(Pattern),
}

/// Whether a packet is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    Missed,
    Hit,
}

impl From<bool> for Hit {
    fn from(hit: bool) -> Self {
        if hit { Self::Hit } else { Self::Missed }
    }
}

/// State of an error model.
pub(crate) trait ErrorModel: Debug + Send {
    /// Decides on a packet of `len` bytes. Times must not decrease.
    fn judge(&mut self, now: Time, len: u32) -> Hit;
}

impl Errors {
    /// Creates the model; `None` if it can never select a packet.
    pub(crate) fn model(&self, random: Random) -> Option<Box<dyn ErrorModel>> {
        match self {
            Self::None => None,
            Self::Uniform(probability) => Some(Box::new(Uniform {
                probability: *probability,
                random,
            })),
            Self::BitErrors(rate) => Some(Box::new(BitErrors::new(*rate, random))),
            Self::Gilbert(gilbert) => Some(Box::new(gilbert::Channel::new(*gilbert, random))),
            Self::Pattern(pattern) => Some(Box::new(pattern::Player::new(pattern.clone()))),
        }
    }
}

/// Selects each packet with the same probability.
#[derive(Debug)]
struct Uniform {
    probability: Probability,
    random: Random,
}

impl ErrorModel for Uniform {
    fn judge(&mut self, _now: Time, _len: u32) -> Hit {
        self.random.happens(self.probability).into()
    }
}

#[cfg(test)]
mod tests;
