use std::collections::BTreeMap;
use std::time::Duration;

use sheave_engine::Time;

use crate::{Impairment, Random, Stack};

/// An end of a [`Pair`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The first stack.
    Left,
    /// The second stack.
    Right,
}

impl Side {
    /// Either end.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// The other end.
    pub const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// A time during which nothing of what one end sends arrives.
#[derive(Clone, Copy, Debug)]
struct Outage {
    from: Side,
    start: Time,
    end: Time,
}

/// Two stacks and the network between them, in virtual time.
pub struct Pair<L, R> {
    /// The first stack.
    pub left: L,
    /// The second stack.
    pub right: R,
    /// Impairments of packets from here on.
    pub impairment: Impairment,
    /// Packets that the left stack put on the network, where [`record`](Self::record) was asked.
    pub recorded: Option<Vec<Vec<u8>>>,
    now: Time,
    link: BTreeMap<(Time, u64), (Side, Vec<u8>)>,
    sent: u64,
    random: Random,
    outages: Vec<Outage>,
}

impl<L: Stack, R: Stack> Pair<L, R> {
    /// Joins two stacks.
    pub const fn new(left: L, right: R, impairment: Impairment, seed: u64) -> Self {
        Self {
            left,
            right,
            impairment,
            recorded: None,
            now: Time::ZERO,
            link: BTreeMap::new(),
            sent: 0,
            random: Random::new(seed),
            outages: Vec::new(),
        }
    }

    /// Joins the two stacks of a scenario.
    pub fn of((left, right): (L, R), impairment: Impairment, seed: u64) -> Self {
        Self::new(left, right, impairment, seed)
    }

    /// Cuts what `first` sends after 20 ms and what the other end sends half a second later, and
    /// mends both in that order: for a second and a half nothing arrives at all.
    pub fn cut_each_way(&mut self, first: Side) {
        let outage = |from, start: u64| Outage {
            from,
            start: self.now + Duration::from_millis(start),
            end: self.now + Duration::from_millis(start + 2000),
        };
        self.outages = vec![outage(first, 20), outage(first.other(), 520)];
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
        let arrival = self.link.keys().next().map(|(at, _)| *at);
        let timeouts = [self.left.poll_timeout(), self.right.poll_timeout()];
        let Some(next) = timeouts.into_iter().chain([arrival]).flatten().min() else {
            return false;
        };
        self.now = self.now.max(next);
        if arrival.is_some_and(|at| at <= self.now) {
            if let Some((_, (side, packet))) = self.link.pop_first() {
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
            let cut =
                |outage: &Outage| outage.from == from && (outage.start..outage.end).contains(&now);
            if self.outages.iter().any(cut) {
                continue;
            }
            let (at, link, sent) = (self.now, &mut self.link, &mut self.sent);
            self.impairment
                .apply(&mut self.random, &packet, |delay, packet| {
                    *sent += 1;
                    link.insert((at + delay, *sent), (from.other(), packet));
                });
        }
    }
}
