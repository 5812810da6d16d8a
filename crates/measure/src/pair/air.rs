use std::collections::VecDeque;
use std::iter;
use std::time::Duration;

use super::Dice;

/// Packets that land in one turn: each is answered before the next one lands, as if a link had carried
/// them one by one. A stack that sees a whole window at once sends one acknowledgement for it.
pub(super) const LANDING: usize = 1;

/// What happens to packets between two ends, instead of nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weather {
    /// Time that a packet takes, either way.
    pub delay: Duration,
    /// Of a thousand packets that go right, so many are lost. Those that go left arrive.
    pub lost_per_mille: u16,
    /// Of the losses.
    pub seed: u64,
}

/// The end that a packet goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// The receiver of data.
    Right,
    /// The sender of data.
    Left,
}

/// Packets under way, on a path without a limit of its own: what is sent at once arrives at once.
#[derive(Debug)]
pub struct Air<P> {
    weather: Weather,
    dice: Dice,
    right: VecDeque<(Duration, P)>,
    left: VecDeque<(Duration, P)>,
}

impl<P> Air<P> {
    /// Nothing under way.
    #[must_use]
    pub const fn new(weather: Weather) -> Self {
        Self {
            weather,
            dice: Dice(weather.seed),
            right: VecDeque::new(),
            left: VecDeque::new(),
        }
    }

    /// Lets `packet` set out at `now`.
    pub fn launch(&mut self, now: Duration, toward: Toward, packet: P) {
        let lost = u64::from(self.weather.lost_per_mille);
        let arrival = now + self.weather.delay;
        match toward {
            Toward::Right if self.dice.roll(1000) < lost => {}
            Toward::Right => self.right.push_back((arrival, packet)),
            Toward::Left => self.left.push_back((arrival, packet)),
        }
    }

    /// The next packet that has arrived by `now`.
    pub fn land(&mut self, now: Duration, toward: Toward) -> Option<P> {
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

    /// When the next packet arrives.
    #[must_use]
    pub fn next(&self) -> Option<Duration> {
        let fronts = [self.right.front(), self.left.front()];
        fronts
            .into_iter()
            .flatten()
            .map(|(arrival, _)| *arrival)
            .min()
    }
}

/// Hands `packets` to `land`, by way of the air if there is any; returns how many set out and
/// landed.
pub fn carry<P>(
    air: &mut Option<Air<P>>,
    now: Duration,
    toward: Toward,
    packets: impl IntoIterator<Item = P>,
    mut land: impl FnMut(P),
) -> u64 {
    let mut moved = 0;
    for packet in packets {
        moved += 1;
        match air {
            Some(air) => air.launch(now, toward, packet),
            None => land(packet),
        }
    }
    let landing = iter::from_fn(|| air.as_mut()?.land(now, toward));
    for packet in landing.take(LANDING) {
        moved += 1;
        land(packet);
    }
    moved
}

#[cfg(test)]
mod tests;
