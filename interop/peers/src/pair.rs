use std::collections::BTreeMap;
use std::time::Duration;

use sheave_engine::Time;

use crate::{Random, Stack, Weather};

/// One end of a [`Pair`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The first stack.
    Left,
    /// The second stack.
    Right,
}

impl Side {
    /// The other end.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// Two stacks and the network between them, in virtual time.
pub struct Pair<L, R> {
    /// The first stack.
    pub left: L,
    /// The second stack.
    pub right: R,
    /// What the network does to packets from here on.
    pub weather: Weather,
    /// Packets that the left stack put on the network, where [`record`](Self::record) was asked.
    pub recorded: Option<Vec<Vec<u8>>>,
    now: Time,
    air: BTreeMap<(Time, u64), (Side, Vec<u8>)>,
    sent: u64,
    random: Random,
}

impl<L: Stack, R: Stack> Pair<L, R> {
    /// Joins two stacks.
    pub const fn new(left: L, right: R, weather: Weather, seed: u64) -> Self {
        Self {
            left,
            right,
            weather,
            recorded: None,
            now: Time::ZERO,
            air: BTreeMap::new(),
            sent: 0,
            random: Random::new(seed),
        }
    }

    /// Keeps what the left stack sends from here on in [`recorded`](Self::recorded).
    pub fn record(&mut self) {
        self.recorded = Some(Vec::new());
    }

    /// The virtual time.
    pub const fn now(&self) -> Time {
        self.now
    }

    /// The stack of that side.
    pub fn stack(&mut self, side: Side) -> &mut dyn Stack {
        match side {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        }
    }

    /// Carries out what happens next; false when nothing will ever happen again.
    pub fn step(&mut self) -> bool {
        self.collect(Side::Left);
        self.collect(Side::Right);
        let arrival = self.air.keys().next().map(|(at, _)| *at);
        let timeouts = [self.left.poll_timeout(), self.right.poll_timeout()];
        let Some(next) = timeouts.into_iter().chain([arrival]).flatten().min() else {
            return false;
        };
        self.now = self.now.max(next);
        if arrival.is_some_and(|at| at <= self.now) {
            if let Some((_, (side, packet))) = self.air.pop_first() {
                let now = self.now;
                self.stack(side).handle_packet(now, &packet);
            }
        } else {
            self.left.handle_timeout(self.now);
            self.right.handle_timeout(self.now);
        }
        true
    }

    /// Steps until `done` holds. False when it does not within `limit` of virtual time.
    pub fn run_until(&mut self, limit: Duration, mut done: impl FnMut(&mut Self) -> bool) -> bool {
        let deadline = self.now + limit;
        loop {
            if done(self) {
                return true;
            }
            if self.now > deadline || !self.step() {
                return false;
            }
        }
    }

    fn collect(&mut self, from: Side) {
        let now = self.now;
        while let Some(packet) = self.stack(from).poll_packet(now) {
            if let (Side::Left, Some(recorded)) = (from, &mut self.recorded) {
                recorded.push(packet.clone());
            }
            let (at, air, sent) = (self.now, &mut self.air, &mut self.sent);
            self.weather
                .befall(&mut self.random, &packet, |delay, packet| {
                    *sent += 1;
                    air.insert((at + delay, *sent), (from.other(), packet));
                });
        }
    }
}
