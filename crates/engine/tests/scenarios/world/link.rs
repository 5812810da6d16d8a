//! A link: one direction between two addresses, as data.

use core::ops::Range;
use core::time::Duration;

use sheave_engine::{Fragmentation, Time};

use super::random::Random;

/// Impairments of packets from one address to another, in this order: up or down, mtu, loss,
/// queue, serialise, corrupt, propagate with jitter, reorder, duplicate.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// Propagation delay.
    pub(crate) delay: Duration,
    /// Maximum random extra delay (uniform); packets keep their order.
    pub(crate) jitter: Duration,
    /// Rate, bits per second; `None` is unlimited.
    pub(crate) rate: Option<u64>,
    /// Queue size, bytes; packets that do not fit are lost.
    pub(crate) queue: u64,
    /// Maximum IP packet, bytes; `oversize` decides about larger ones.
    pub(crate) mtu: usize,
    pub(crate) oversize: Oversize,
    /// Packets lost, per mille.
    pub(crate) loss: u16,
    /// Packets delivered twice, per mille.
    pub(crate) duplicate: u16,
    /// Packets that are overtaken, per mille.
    pub(crate) reorder: u16,
    /// Packets with flipped bits, per mille.
    pub(crate) corrupt: u16,
    /// Times at which the link is down.
    pub(crate) down: Vec<Range<Time>>,
}

impl Default for Link {
    /// 10 ms, perfect, Ethernet's MTU.
    fn default() -> Self {
        Self {
            delay: Duration::from_millis(10),
            jitter: Duration::ZERO,
            rate: None,
            queue: 1 << 20,
            mtu: 1500,
            oversize: Oversize::Lost,
            loss: 0,
            duplicate: 0,
            reorder: 0,
            corrupt: 0,
            down: Vec::new(),
        }
    }
}

/// Treatment of packets larger than the MTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Oversize {
    Lost,
    /// Lost if fragmentation is forbidden; otherwise delivered reassembled.
    Fragmented,
}

/// The reason why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LossReason {
    /// The link was down.
    Down,
    /// Larger than the MTU.
    TooBig,
    /// Dropped by the error model.
    Error,
    /// The queue was full.
    Overflow,
}

/// Current state of a link.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) link: Link,
    busy_until: Time,
    last_arrival: Time,
}

impl Line {
    pub(crate) fn new(link: Link) -> Self {
        Self {
            link,
            ..Self::default()
        }
    }

    /// Arrival times of a packet sent at `now`: none, one or two. May flip bits in `bytes`.
    pub(crate) fn carry(
        &mut self,
        now: Time,
        bytes: &mut [u8],
        (ip_len, fragmentation): (usize, Fragmentation),
        random: &mut Random,
    ) -> Result<Vec<Time>, LossReason> {
        let link = &self.link;
        if link.down.iter().any(|outage| outage.contains(&now)) {
            return Err(LossReason::Down);
        }
        let whole = link.oversize == Oversize::Lost || fragmentation == Fragmentation::Forbidden;
        if ip_len > link.mtu && whole {
            return Err(LossReason::TooBig);
        }
        if random.chance(link.loss) {
            return Err(LossReason::Error);
        }
        let mut leaves = now;
        if let Some(rate) = link.rate {
            let starts = self.busy_until.max(now);
            let waiting = starts.since(now).as_nanos() as u64 * rate / 8_000_000_000;
            if waiting + ip_len as u64 > link.queue {
                return Err(LossReason::Overflow);
            }
            leaves = starts + Duration::from_nanos(ip_len as u64 * 8_000_000_000 / rate);
            self.busy_until = leaves;
        }
        if random.chance(link.corrupt) {
            for _ in 0..=random.below(3) {
                let bit = random.index(bytes.len() * 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
        let jitter = Duration::from_nanos(random.below(link.jitter.as_nanos() as u64));
        let mut arrives = (leaves + link.delay + jitter).max(self.last_arrival);
        if random.chance(link.reorder) {
            // Delayed so that later packets overtake it, without delaying them.
            arrives = arrives + link.delay / 2 + Duration::from_nanos(random.below(20_000_000));
        } else {
            self.last_arrival = arrives;
        }
        let mut arrivals = vec![arrives];
        if random.chance(link.duplicate) {
            arrivals.push(arrives + Duration::from_nanos(random.below(20_000_000)));
        }
        Ok(arrivals)
    }
}
