use core::time::Duration;

use sheave_engine::Time;

use super::drop_tail::DropTail;
use super::{Limit, Queue, Signal, Verdict, Waiting};
use crate::packets::PacketId;

/// Controlled delay (RFC 8289).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codel {
    /// Most packets queued.
    pub limit: usize,
    /// Acceptable standing delay, usually 5 ms.
    pub target: Duration,
    /// Time for which the delay may exceed the target, usually 100 ms.
    pub interval: Duration,
    /// Largest packet, bytes: a queue of at most that size is not a standing queue.
    pub mtu: u32,
    /// Signal to packets of ECN-capable transports.
    pub signal: Signal,
}

impl Default for Codel {
    /// The usual parameters: 1000 packets, 5 ms, 100 ms, 1500 bytes, and dropping.
    fn default() -> Self {
        Self {
            limit: 1000,
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            mtu: 1500,
            signal: Signal::Drop,
        }
    }
}

/// Whether the queue is signalling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The delay was acceptable until at most an interval ago.
    Watching,
    /// Packets are signalled at decreasing intervals.
    Signalling,
}

/// The packet at the head.
struct Head {
    waiting: Option<Waiting>,
    /// Whether the delay has been above the target for an interval.
    late: bool,
}

#[derive(Debug)]
pub(super) struct CodelQueue {
    codel: Codel,
    inner: DropTail,
    mode: Mode,
    /// Time of the next signal while signalling, otherwise of the last one.
    next: Time,
    /// When the delay will have exceeded the target for an interval.
    late_from: Option<Time>,
    /// Signals in this signalling period.
    count: u32,
    /// Value of `count` at the start of this period.
    first_count: u32,
}

impl CodelQueue {
    pub(super) const fn new(codel: Codel) -> Self {
        Self {
            codel,
            inner: DropTail::new(Limit::Packets(codel.limit)),
            mode: Mode::Watching,
            next: Time::ZERO,
            late_from: None,
            count: 0,
            first_count: 0,
        }
    }

    /// Takes the packet at the head (RFC 8289 §5.6).
    fn head(&mut self, now: Time) -> Head {
        let waiting = self.inner.take();
        let standing = waiting.is_some_and(|head| {
            now.since(head.since) >= self.codel.target
                && self.inner.bytes() > u64::from(self.codel.mtu)
        });
        if !standing {
            self.late_from = None;
            return Head {
                waiting,
                late: false,
            };
        }
        let late_from = *self.late_from.get_or_insert(now + self.codel.interval);
        Head {
            waiting,
            late: now >= late_from,
        }
    }

    /// Marks a packet, or drops it and returns the next one.
    fn signal(&mut self, now: Time, head: Head, dropped: &mut Vec<PacketId>) -> Head {
        let Some(mut waiting) = head.waiting else {
            return head;
        };
        if waiting.mark(self.codel.signal) {
            return Head {
                waiting: Some(waiting),
                late: head.late,
            };
        }
        dropped.push(waiting.packet);
        self.head(now)
    }

    /// The control law: time of the next signal, after the interval divided by the square root of
    /// the count.
    fn after(&self, time: Time) -> Time {
        let interval = self.codel.interval.as_nanos() as f64;
        let shrunk = interval / libm::sqrt(f64::from(self.count.max(1)));
        #[expect(clippy::cast_possible_truncation, reason = "saturates")]
        let nanos = shrunk as u64;
        time + Duration::from_nanos(nanos)
    }

    /// Starts a signalling period; soon after another one, it resumes at the same rate
    /// (RFC 8289 §5.5).
    fn begin(&mut self, now: Time) {
        let recent = now.since(self.next) < 16 * self.codel.interval;
        let delta = self.count.saturating_sub(self.first_count);
        self.count = if delta > 1 && recent { delta } else { 1 };
        self.first_count = self.count;
        self.next = self.after(now);
        self.mode = Mode::Signalling;
    }
}

impl Queue for CodelQueue {
    fn push(&mut self, now: Time, waiting: Waiting) -> Verdict {
        self.inner.push(now, waiting)
    }

    // RFC 8289 §5.5
    fn pop(&mut self, now: Time, dropped: &mut Vec<PacketId>) -> Option<Waiting> {
        let mut head = self.head(now);
        if self.mode == Mode::Watching {
            if head.late {
                head = self.signal(now, head, dropped);
                self.begin(now);
            }
            return head.waiting;
        }
        while head.late && now >= self.next {
            self.count += 1;
            let before = dropped.len();
            head = self.signal(now, head, dropped);
            if head.late {
                self.next = self.after(self.next);
            }
            // A marked packet is sent; only a dropped one allows another signal now.
            if dropped.len() == before {
                break;
            }
        }
        if !head.late {
            self.mode = Mode::Watching;
        }
        head.waiting
    }

    fn len(&self) -> usize {
        self.inner.len()
    }
}
