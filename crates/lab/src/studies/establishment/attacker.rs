use core::time::Duration;

use sheave_engine::{Datagram, Ecn, Fragmentation, Marking, Node, PeerAddress, Time, Transmit};
use sheave_sim::{Agent, Protocol, Random};

use super::opening::Opening;
use crate::studies::pair::LISTENER;

/// Sends openings with forged source addresses to the listener as a Poisson process, and ignores
/// replies.
#[derive(Debug)]
pub(super) struct Attacker {
    opening: Opening,
    /// Mean time between packets.
    gap: Duration,
    random: Random,
    next: Time,
    due: u64,
}

impl Attacker {
    /// Creates an attacker that sends `per_second` packets per second on average; must be above 0.
    pub(super) fn new(opening: Opening, per_second: f64, mut random: Random) -> Self {
        let gap = Duration::from_secs_f64(1.0 / per_second);
        let next = Time::ZERO + gap.mul_f64(random.unit());
        Self {
            opening,
            gap,
            random,
            next,
            due: 0,
        }
    }
}

impl Node for Attacker {
    fn handle_datagram(&mut self, _now: Time, _datagram: Datagram<'_>) {}

    fn handle_timeout(&mut self, now: Time) {
        while self.next <= now {
            self.due += 1;
            let gap = self.gap.mul_f64(self.random.exponential());
            self.next = self.next + gap.max(Duration::from_nanos(1));
        }
    }

    fn poll_transmit(&mut self, _: Time, buf: &mut Vec<u8>, _: usize) -> Option<Transmit> {
        self.due = self.due.checked_sub(1)?;
        Some(Transmit {
            local: self.opening.forge(buf, &mut self.random),
            remote: PeerAddress::native(LISTENER),
            ecn: Ecn::NotEct,
            segment_size: None,
            fragmentation: Fragmentation::Forbidden,
            marking: Marking::default(),
        })
    }

    fn poll_timeout(&self) -> Option<Time> {
        Some(self.next)
    }
}

impl Agent for Attacker {
    fn protocol(&self) -> Protocol {
        self.opening.protocol()
    }

    fn owns_port(&self, _port: u16) -> bool {
        false
    }
}
