use core::time::Duration;

use sheave_engine::Time;

use super::{ErrorModel, Hit};
use crate::{Probability, Random};

/// A state of a [`Gilbert`] channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Mean duration of the state, or the interval between decisions whether it continues.
    pub period: Duration,
    /// Probability that the state continues at each decision; unused by [`Reading::Exponential`].
    pub stay: Probability,
    /// Probability that a packet is selected during the state.
    pub hit: Probability,
}

/// A channel that alternates between a good and a bad state, starting with the good one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gilbert {
    /// The good state.
    pub good: State,
    /// The bad state.
    pub bad: State,
    /// The rule for the end of a state.
    pub reading: Reading,
}

/// The rule for the end of a state of a [`Gilbert`] channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The state lasts its period; afterwards, each packet draws whether the state continues
    /// (`gilbert-ns2`: the multi-state model of ns-2).
    Ns2,
    /// At the end of each period, a draw decides whether the state continues (`gilbert-periodic`).
    Periodic,
    /// The duration is exponentially distributed with the period as mean (`gilbert-exponential`).
    Exponential,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Now {
    Good,
    Bad,
}

/// State of a channel.
#[derive(Debug)]
pub(super) struct Channel {
    gilbert: Gilbert,
    random: Random,
    now: Now,
    /// End of the state, or time of the next decision.
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

    /// End of a period that starts at `start`.
    fn end(&mut self, start: Time) -> Time {
        // At least a nanosecond, so that a loop over states terminates.
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

    /// Advances the state to `now`.
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
