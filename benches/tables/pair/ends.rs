//! Two ends of a rival, with packets carried between them in virtual time.

use std::time::Duration;

use super::{Clock, IdleRounds, Impairment, Link, Pair, Reading, Toward, UserData, carry};

/// An end of a stack; the latest association is used.
pub(super) trait End {
    /// A packet between the ends.
    type Packet;

    /// Prepares for one more association.
    fn prepare(&mut self) {}

    /// Initiates an association with the other end.
    fn call(&mut self, clock: &Clock);

    /// Number of associations established so far.
    fn established(&self) -> usize;

    /// Runs due timers.
    fn run_timers(&mut self, clock: &Clock);

    /// The time at which the next timer is due; `None` if none is set.
    fn due(&self, clock: &Clock) -> Option<Duration>;

    /// Takes the packets to send.
    fn packets(&mut self, clock: &Clock) -> impl Iterator<Item = Self::Packet>;

    /// Handles a packet from the other end.
    fn handle(&mut self, clock: &Clock, packet: Self::Packet);

    /// Accepts up to `most` messages to send; returns the number accepted.
    fn offer(&mut self, clock: &Clock, data: &mut UserData, most: u64) -> u64;

    /// Reads arrived messages.
    fn read(&mut self) -> Reading;
}

/// Two ends of a stack.
pub(super) struct Ends<E: End> {
    left: E,
    right: E,
    link: Option<Link<E::Packet>>,
    clock: Clock,
    answers: u64,
}

impl<E: End> Ends<E> {
    /// Creates two ends without an association; the left one will initiate.
    pub(super) fn new(left: E, right: E) -> Self {
        Self {
            left,
            right,
            link: None,
            clock: Clock::new(),
            answers: 0,
        }
    }

    fn run_timers(&mut self) {
        self.left.run_timers(&self.clock);
        self.right.run_timers(&self.clock);
    }
}

impl<E: End> Pair for Ends<E> {
    fn connect(&mut self) {
        self.left.prepare();
        self.right.prepare();
        let wanted = self.left.established() + 1;
        self.left.call(&self.clock);
        let mut idle_rounds = IdleRounds::default();
        while self.left.established() < wanted || self.right.established() < wanted {
            if idle_rounds.is_spent(self.carry()) {
                assert!(self.wait(), "the handshake came to a standstill");
            }
        }
    }

    fn offer(&mut self, data: &mut UserData, most: u64) -> u64 {
        self.left.offer(&self.clock, data, most)
    }

    fn carry(&mut self) -> u64 {
        self.clock.turn();
        self.run_timers();
        let (clock, link) = (&self.clock, &mut self.link);
        let (left, right) = (&mut self.left, &mut self.right);
        let passed = clock.passed();
        let carried = carry(link, passed, Toward::Right, left.packets(clock), |packet| {
            right.handle(clock, packet);
        });
        let answered = carry(link, passed, Toward::Left, right.packets(clock), |packet| {
            left.handle(clock, packet);
        });
        self.answers += answered;
        carried + self.link.as_ref().map_or(0, |_| answered)
    }

    fn answers(&self) -> u64 {
        self.answers
    }

    fn read(&mut self) -> Reading {
        self.right.read()
    }

    fn wait(&mut self) -> bool {
        let due = [&self.left, &self.right].map(|end| end.due(&self.clock));
        let arrival = self.link.as_ref().and_then(Link::next);
        let Some(due) = due.into_iter().chain([arrival]).flatten().min() else {
            return false;
        };
        self.clock.skip_to(due);
        self.run_timers();
        true
    }

    fn set_impairment(&mut self, impairment: Impairment) {
        self.clock.refine();
        self.link = Some(Link::new(impairment));
    }

    fn passed(&self) -> Duration {
        self.clock.passed()
    }
}
