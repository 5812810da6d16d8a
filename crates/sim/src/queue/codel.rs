use core::time::Duration;

use sheave_engine::Time;

use super::drop_tail::DropTail;
use super::{Limit, Queue, Signal, Verdict, Waiting};
use crate::packets::PacketId;

/// Controlled delay (RFC 8289).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codel {
    /// Packets that may wait at most.
    pub limit: usize,
    /// The standing delay that is acceptable; usually 5 ms.
    pub target: Duration,
    /// Time for which the delay may exceed the target; usually 100 ms.
    pub interval: Duration,
    /// The largest packet, bytes: with no more than that waiting there is no standing queue.
    pub mtu: u32,
    /// The signal to packets of ECN-capable transports.
    pub signal: Signal,
}

impl Default for Codel {
    /// 1000 packets, 5 ms, 100 ms, 1500 bytes, drop.
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

/// Whether the queue is being brought down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The delay is acceptable, or was until a short while ago.
    Watching,
    /// Packets get signals, one after the other.
    Signalling,
}

/// The packet in front.
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
    /// When the next signal is due while signalling; when the last one was due otherwise.
    next: Time,
    /// When the delay will have been above the target for an interval.
    late_from: Option<Time>,
    /// Signals of this bout.
    count: u32,
    /// The value of `count` when this bout began.
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

    /// Takes the packet in front (RFC 8289 §5.6).
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

    /// Marks a packet, or drops it and takes the next.
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

    /// The control law: the interval shrinks with the square root of the count.
    fn after(&self, time: Time) -> Time {
        let interval = self.codel.interval.as_nanos() as f64;
        let shrunk = interval / libm::sqrt(f64::from(self.count.max(1)));
        #[expect(clippy::cast_possible_truncation, reason = "saturates")]
        let nanos = shrunk as u64;
        time + Duration::from_nanos(nanos)
    }

    /// A bout that follows soon upon another goes on where that left off (RFC 8289 §5.5).
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
            // A marked packet leaves; only a dropped one makes room for another signal.
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
