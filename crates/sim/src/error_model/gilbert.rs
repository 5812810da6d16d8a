use core::time::Duration;

use sheave_engine::Time;

use super::{ErrorModel, Hit};
use crate::{Probability, Random};

/// A state of a [`Gilbert`] channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Mean duration of the state, or the period after which it is decided whether it goes on.
    pub period: Duration,
    /// The probability that it goes on when that is decided; means nothing to
    /// [`Reading::Exponential`].
    pub stay: Probability,
    /// The probability that a packet is hit while it lasts.
    pub hit: Probability,
}

/// A channel that is good for a while and bad for a while. It begins good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gilbert {
    /// The good state.
    pub good: State,
    /// The bad state.
    pub bad: State,
    /// The rule by which the state ends.
    pub reading: Reading,
}

/// The rule by which a state of a [`Gilbert`] channel ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The state lasts its period; from then on each packet draws whether the state goes on
    /// (`gilbert-ns2`: what the multi-state model of ns-2 does).
    Ns2,
    /// A draw at the end of each period decides whether the state goes on (`gilbert-periodic`).
    Periodic,
    /// The state lasts an exponentially distributed time with the period as mean
    /// (`gilbert-exponential`).
    Exponential,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Now {
    Good,
    Bad,
}

/// A channel at work.
#[derive(Debug)]
pub(super) struct Channel {
    gilbert: Gilbert,
    random: Random,
    now: Now,
    /// When the state ends, or when it is decided whether it goes on.
    until: Time,
}

impl Channel {
    pub(super) fn new(gilbert: Gilbert, random: Random) -> Self {
        let mut channel = Self {
            gilbert,
            random,
            now: Now::Good,
            until: Time::ZERO,
        };
        channel.until = channel.end(Time::ZERO);
        channel
    }

    const fn state(&self) -> State {
        match self.now {
            Now::Good => self.gilbert.good,
            Now::Bad => self.gilbert.bad,
        }
    }

    /// The end of a period of this state that begins at `start`.
    fn end(&mut self, start: Time) -> Time {
        // Nothing can be shorter: an endless row of states must come to an end.
        let least = Duration::from_nanos(1);
        let period = self.state().period;
        let length = match self.gilbert.reading {
            Reading::Ns2 | Reading::Periodic => period,
            Reading::Exponential => period.mul_f64(self.random.exponential()),
        };
        start + length.max(least)
    }

    fn leave(&mut self) {
        self.now = match self.now {
            Now::Good => Now::Bad,
            Now::Bad => Now::Good,
        };
    }

    fn stays(&mut self) -> bool {
        let stay = self.state().stay;
        self.random.happens(stay)
    }

    /// Brings the state up to `now`.
    fn advance(&mut self, now: Time) {
        match self.gilbert.reading {
            Reading::Ns2 => {
                if now >= self.until && !self.stays() {
                    self.leave();
                    self.until = self.end(now);
                }
            }
            Reading::Periodic => {
                while now >= self.until {
                    if !self.stays() {
                        self.leave();
                    }
                    self.until = self.end(self.until);
                }
            }
            Reading::Exponential => {
                while now >= self.until {
                    self.leave();
                    self.until = self.end(self.until);
                }
            }
        }
    }
}

impl ErrorModel for Channel {
    fn judge(&mut self, now: Time, _len: u32) -> Hit {
        self.advance(now);
        let hit = self.state().hit;
        self.random.happens(hit).into()
    }
}
