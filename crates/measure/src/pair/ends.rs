use std::time::Duration;

use super::{Clock, IdleRounds, Impairment, Link, Pair, Reading, Toward, Troubles, UserData};

/// An end of a stack that is measured; the latest association is used.
pub trait End {
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

    /// Passes packets to the other end without a link; returns their number.
    fn send_to(&mut self, peer: &mut Self, clock: &Clock) -> u64 {
        let mut sent = 0;
        for packet in self.packets(clock) {
            sent += 1;
            peer.handle(clock, packet);
        }
        sent
    }

    /// Takes the events of a turn.
    fn take_events(&mut self) {}

    /// Accepts up to `most` messages to send; returns the number accepted.
    fn offer(&mut self, clock: &Clock, data: &mut UserData, most: u64) -> u64;

    /// Reads arrived messages.
    fn read(&mut self, clock: &Clock) -> Reading;

    /// Loss-recovery counters, if the stack has any.
    fn troubles(&mut self) -> Option<Troubles> {
        None
    }
}

/// Two ends of a stack, with packets carried between them in virtual time.
pub struct Ends<E: End> {
    pub(super) left: E,
    pub(super) right: E,
    link: Option<Link<E::Packet>>,
    clock: Clock,
    packets: u64,
    answers: u64,
}

impl<E: End> Ends<E> {
    /// Creates two ends without an association; the left one will initiate.
    #[must_use]
    pub fn between(left: E, right: E) -> Self {
        Self {
            left,
            right,
            link: None,
            clock: Clock::new(),
            packets: 0,
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
        self.carry();
    }

    fn offer(&mut self, data: &mut UserData, most: u64) -> u64 {
        self.left.offer(&self.clock, data, most)
    }

    fn carry(&mut self) -> u64 {
        self.clock.turn();
        self.run_timers();
        let (clock, link) = (&self.clock, &mut self.link);
        let (left, right) = (&mut self.left, &mut self.right);
        let mut carry = |toward, from: &mut E, to: &mut E| match link {
            None => [from.send_to(to, clock), 0],
            Some(link) => link.carry(clock.passed(), toward, from.packets(clock), |packet| {
                to.handle(clock, packet);
            }),
        };
        let [carried, arrived] = carry(Toward::Right, left, right);
        let [answered, returned] = carry(Toward::Left, right, left);
        left.take_events();
        right.take_events();
        self.packets += carried;
        self.answers += answered;
        match link {
            None => carried,
            Some(_) => carried + arrived + answered + returned,
        }
    }

    fn packets(&self) -> u64 {
        self.packets
    }

    fn answers(&self) -> u64 {
        self.answers
    }

    fn read(&mut self) -> Reading {
        self.right.read(&self.clock)
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

    fn troubles(&mut self) -> Option<Troubles> {
        let duplicates = self.right.troubles()?.duplicates;
        let sender = self.left.troubles()?;
        Some(Troubles {
            duplicates,
            ..sender
        })
    }
}
