//! The load on one association: a thread that sends, a thread that counts what comes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use sheave::{Association, Bytes, Message, SendOptions, StreamId};

use super::control::{CONTROL, Control, LOAD, Plan};

/// An association of a test.
pub struct Flow {
    /// The association.
    pub association: Association,
    sent: AtomicU64,
    received: AtomicU64,
    stop: AtomicBool,
    done: AtomicBool,
}

/// Bytes that may still be sent, by all flows of a test together.
pub struct Budget {
    left: Option<AtomicI64>,
}

/// Control messages and other events.
pub enum Incoming {
    /// A control message.
    Control(Box<Control>),
    /// The association ended.
    Ended(String),
    /// The user has had enough.
    Interrupted,
}

impl Budget {
    /// A budget of that many bytes; `None` is without end.
    pub fn new(bytes: Option<u64>) -> Self {
        let signed = |bytes| AtomicI64::new(i64::try_from(bytes).unwrap_or(i64::MAX));
        Self {
            left: bytes.map(signed),
        }
    }

    /// Takes `length` bytes; what is left is less if it was the last.
    fn take(&self, length: i64) -> i64 {
        match &self.left {
            None => length,
            Some(left) => left.fetch_sub(length, Ordering::Relaxed).clamp(0, length),
        }
    }
}

impl Flow {
    /// A flow on that association, not yet begun.
    pub fn new(association: Association) -> Arc<Self> {
        Arc::new(Self {
            association,
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            done: AtomicBool::new(false),
        })
    }

    /// User bytes sent so far.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// User bytes received so far.
    pub fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// DATA chunks retransmitted so far.
    pub fn retransmits(&self) -> u64 {
        self.association
            .stats()
            .map_or(0, |stats| stats.retransmissions)
    }

    /// Whether it sends no more, and what it sent has arrived.
    pub fn is_delivered(&self) -> bool {
        let stats = self.association.stats();
        self.done.load(Ordering::Relaxed) && stats.is_none_or(|stats| stats.send_buffered == 0)
    }

    /// Sends no more from now on.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Begins to send, from a thread of its own.
    pub fn start_sending(self: &Arc<Self>, plan: &Plan, budget: &Arc<Budget>) {
        let (flow, plan, budget) = (Arc::clone(self), plan.clone(), Arc::clone(budget));
        thread::spawn(move || {
            flow.send_all(&plan, &budget);
            flow.done.store(true, Ordering::Relaxed);
        });
    }

    /// Begins to receive, from a thread of its own; what is no load goes to `incoming`.
    pub fn start_receiving(self: &Arc<Self>, incoming: mpsc::Sender<Incoming>) {
        let flow = Arc::clone(self);
        thread::spawn(move || {
            let _ = incoming.send(flow.receive_all(&incoming));
        });
    }

    fn send_all(&self, plan: &Plan, budget: &Budget) {
        let length = usize::try_from(plan.length).unwrap_or(usize::MAX);
        // The same bytes each time, as iperf3 does: what is measured is the transport.
        let pattern: Vec<u8> = (0..length).map(|at| (at % 251).to_le_bytes()[0]).collect();
        let payload = Bytes::from(pattern);
        let mut pace = plan.bitrate.map(Pace::new);
        let streams = plan
            .streams
            .min(self.association.outbound_streams().saturating_sub(1));
        if streams == 0 {
            return;
        }
        let options = SendOptions {
            reliability: plan.reliability(),
            ..SendOptions::default()
        };
        for turn in (0..streams).cycle() {
            let room = budget.take(i64::try_from(length).unwrap_or(i64::MAX));
            let len = usize::try_from(room).unwrap_or(0);
            if len == 0 || self.stop.load(Ordering::Relaxed) {
                return;
            }
            if let Some(pace) = &mut pace {
                pace.wait(len, &self.stop);
            }
            let message = Message::new(StreamId(turn + 1), payload.slice(..len)).with_ppid(LOAD);
            if self.association.send_with(message, options).is_err() {
                return;
            }
            self.sent.fetch_add(len as u64, Ordering::Relaxed);
        }
    }

    fn receive_all(&self, incoming: &mpsc::Sender<Incoming>) -> Incoming {
        loop {
            let received = match self.association.receive() {
                Ok(Some(received)) => received,
                Ok(None) => return Incoming::Ended("the peer closed the association".to_owned()),
                Err(error) => return Incoming::Ended(error.to_string()),
            };
            let message = received.message;
            if message.ppid != CONTROL {
                let len = message.payload.len() as u64;
                self.received.fetch_add(len, Ordering::Relaxed);
                continue;
            }
            let next = match Control::parse(&message.payload) {
                Ok(control) => Incoming::Control(Box::new(control)),
                Err(why) => return Incoming::Ended(why),
            };
            if incoming.send(next).is_err() {
                return Incoming::Ended(String::new());
            }
        }
    }
}

/// Sends no faster than asked.
struct Pace {
    began: Instant,
    bits_per_second: f64,
    bits: f64,
}

impl Pace {
    fn new(bits_per_second: u64) -> Self {
        Self {
            began: Instant::now(),
            bits_per_second: bits_per_second as f64,
            bits: 0.0,
        }
    }

    fn wait(&mut self, len: usize, stop: &AtomicBool) {
        let due = Duration::from_secs_f64(self.bits / self.bits_per_second);
        self.bits += len as f64 * 8.0;
        while let Some(rest) = due.checked_sub(self.began.elapsed()) {
            if stop.load(Ordering::Relaxed) || rest.is_zero() {
                return;
            }
            thread::sleep(rest.min(Duration::from_millis(50)));
        }
    }
}
