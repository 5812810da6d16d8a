use core::time::Duration;

use sheave_engine::Time;

use super::drop_tail::DropTail;
use super::{Limit, Queue, Signal, Verdict, Waiting};
use crate::packets::PacketId;
use crate::{Probability, Random};

/// Random early detection (Floyd and Jacobson, 1993), in packets, with the "gentle" slope above the
/// upper threshold (Floyd, 2000).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Red {
    /// Most packets queued.
    pub limit: usize,
    /// Average length below which no signals occur, packets.
    pub lower: f64,
    /// Average length at which the probability reaches [`most`](Self::most), packets.
    pub upper: f64,
    /// Signal probability at the upper threshold; rises to 1 at twice the threshold.
    pub most: Probability,
    /// Weight of a new length in the average, 0 to 1.
    pub weight: f64,
    /// Signal to packets of ECN-capable transports.
    pub signal: Signal,
}

impl Red {
    /// Usual parameters for a queue of that size: thresholds at a quarter and three quarters,
    /// maximum probability 0.1, weight 0.002.
    #[must_use]
    pub fn for_limit(limit: usize, signal: Signal) -> Self {
        Self {
            limit,
            lower: limit as f64 / 4.0,
            upper: limit as f64 * 0.75,
            most: Probability::new(0.1),
            weight: 0.002,
            signal,
        }
    }

    /// Signal probability at that average length, before it is spread evenly.
    fn probability(&self, average: f64) -> f64 {
        let most = self.most.value();
        if average < self.lower {
            0.0
        } else if average < self.upper {
            most * (average - self.lower) / (self.upper - self.lower)
        } else if average < 2.0 * self.upper {
            most + (1.0 - most) * (average - self.upper) / self.upper
        } else {
            1.0
        }
    }
}

#[derive(Debug)]
pub(super) struct RedQueue {
    red: Red,
    packet_time: Duration,
    random: Random,
    inner: DropTail,
    average: f64,
    /// Packets since the last signal while the average exceeded the lower threshold.
    quiet: Option<u32>,
}

impl RedQueue {
    pub(super) const fn new(red: Red, packet_time: Duration, random: Random) -> Self {
        Self {
            red,
            packet_time,
            random,
            inner: DropTail::new(Limit::Packets(red.limit)),
            average: 0.0,
            quiet: None,
        }
    }

    /// Whether the arriving packet gets a signal.
    fn signals(&mut self) -> bool {
        let slope = self.red.probability(self.average);
        if slope <= 0.0 {
            self.quiet = None;
            return false;
        }
        // Using the count makes the gaps between signals uniform instead of geometric.
        let count = self.quiet.map_or(0, |quiet| quiet + 1);
        let spread = 1.0 - f64::from(count) * slope;
        let probability = if spread > slope { slope / spread } else { 1.0 };
        let signals = self.random.happens(Probability::new(probability));
        self.quiet = Some(if signals { 0 } else { count });
        signals
    }
}

impl Queue for RedQueue {
    fn on_idle(&mut self, since: Time, now: Time) {
        // The average decays as if that many packets had arrived at an empty queue.
        let idle = now.since(since).as_secs_f64();
        let packets = idle / self.packet_time.as_secs_f64().max(1e-9);
        self.average *= libm::pow(1.0 - self.red.weight, packets);
    }

    fn push(&mut self, now: Time, mut waiting: Waiting) -> Verdict {
        self.average += self.red.weight * (self.inner.len() as f64 - self.average);
        if self.signals() && !waiting.mark(self.red.signal) {
            return Verdict::Dropped;
        }
        let verdict = self.inner.push(now, waiting);
        if verdict == Verdict::Dropped {
            self.quiet = Some(0);
        }
        verdict
    }

    fn pop(&mut self, now: Time, dropped: &mut Vec<PacketId>) -> Option<Waiting> {
        self.inner.pop(now, dropped)
    }

    fn len(&self) -> usize {
        self.inner.len()
    }
}
