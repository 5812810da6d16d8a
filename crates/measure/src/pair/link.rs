use std::collections::VecDeque;
use std::iter;
use std::time::Duration;

use super::Rng;

/// Packets that arrive per turn. Each is answered before the next one arrives, as on a real link; a
/// stack that saw a whole window at once would send a single acknowledgement.
const ARRIVALS_PER_ROUND: usize = 1;

/// Delay and loss between the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Impairment {
    /// One-way delay, both directions.
    pub delay: Duration,
    /// Loss from left to right, per thousand; no loss in the other direction.
    pub lost_per_mille: u16,
    /// Seed of the losses.
    pub seed: u64,
}

/// Direction of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// To the receiver of data.
    Right,
    /// To the sender of data.
    Left,
}

/// Packets in flight on a link of unlimited rate: packets sent together arrive together.
#[derive(Debug)]
pub struct Link<P> {
    impairment: Impairment,
    rng: Rng,
    right: VecDeque<(Duration, P)>,
    left: VecDeque<(Duration, P)>,
}

impl<P> Link<P> {
    /// Creates an empty link.
    #[must_use]
    pub const fn new(impairment: Impairment) -> Self {
        Self {
            impairment,
            rng: Rng(impairment.seed),
            right: VecDeque::new(),
            left: VecDeque::new(),
        }
    }

    /// Sends `packet` at `now`; it may be lost.
    pub fn send(&mut self, now: Duration, toward: Toward, packet: P) {
        let lost = u64::from(self.impairment.lost_per_mille);
        let arrival = now + self.impairment.delay;
        match toward {
            Toward::Right if self.rng.below(1000) < lost => {}
            Toward::Right => self.right.push_back((arrival, packet)),
            Toward::Left => self.left.push_back((arrival, packet)),
        }
    }

    /// Takes the next packet that has arrived by `now`.
    pub fn arrive(&mut self, now: Duration, toward: Toward) -> Option<P> {
        let queue = match toward {
            Toward::Right => &mut self.right,
            Toward::Left => &mut self.left,
        };
        let (arrival, _) = queue.front()?;
        if *arrival > now {
            return None;
        }
        Some(queue.pop_front()?.1)
    }

    /// Sends `packets`, and passes the next arrived ones to `arrive`; returns the numbers of both.
    pub fn carry(
        &mut self,
        now: Duration,
        toward: Toward,
        packets: impl IntoIterator<Item = P>,
        mut arrive: impl FnMut(P),
    ) -> [u64; 2] {
        let (mut sent, mut arrived) = (0, 0);
        for packet in packets {
            sent += 1;
            self.send(now, toward, packet);
        }
        let arrivals = iter::from_fn(|| self.arrive(now, toward));
        for packet in arrivals.take(ARRIVALS_PER_ROUND) {
            arrived += 1;
            arrive(packet);
        }
        [sent, arrived]
    }

    /// When the next packet arrives.
    pub fn next(&self) -> Option<Duration> {
        let fronts = [self.right.front(), self.left.front()];
        fronts
            .into_iter()
            .flatten()
            .map(|(arrival, _)| *arrival)
            .min()
    }
}

#[cfg(test)]
mod tests;
