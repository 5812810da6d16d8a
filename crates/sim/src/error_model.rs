//! Error models: the choice of packets that a link hits. The link decides what becomes of them.

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

/// An error model: the choice of packets that are hit.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Errors {
    /// None.
    #[default]
    None,
    /// Each with the same probability.
    Uniform(Probability),
    /// Packets with at least one wrong bit.
    BitErrors(BitErrorRate),
    /// A channel with a good and a bad state (Gilbert and Elliott).
    Gilbert(Gilbert),
    /// A recorded pattern.
    Pattern(Pattern),
}

/// Whether a packet is hit.
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

/// An error model at work.
pub(crate) trait ErrorModel: Debug + Send {
    /// Decides on a packet of `len` bytes. Times never go back.
    fn judge(&mut self, now: Time, len: u32) -> Hit;
}

impl Errors {
    /// The model, `None` where nothing can be hit.
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

/// Each packet with the same probability.
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
