//! The load of one association: a sending thread and a counting thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use sheave::{Association, Bytes, Message, SendOptions, StreamId};

use super::control::{CONTROL, Control, LOAD, Limit, Plan};
use super::report::End;

/// Interval of checking whether every byte was delivered.
const LOOK: Duration = Duration::from_millis(5);

/// An association of a test.
pub struct Flow {
    pub association: Association,
    sent: AtomicU64,
    received: AtomicU64,
    stop: AtomicBool,
    /// Whether this end has sent everything.
    done: AtomicBool,
    /// Whether the peer has confirmed that its share arrived.
    has_all: AtomicBool,
}

/// The bytes that one end may send over every flow of a test.
pub struct Budget {
    limit: Option<u64>,
    /// Bytes left; `None` while sent bytes are not counted.
    left: Mutex<Option<u64>>,
}

/// Control messages and other events.
pub enum Incoming {
    /// A control message.
    Control(Box<Control>),
    /// The association ended.
    Ended(String),
    /// The user pressed Ctrl-C.
    Interrupted,
}

impl Budget {
    /// The budget of one end for this plan.
    pub fn of(plan: &Plan) -> Self {
        let limit = match plan.limit {
            Limit::Bytes(bytes) => Some(bytes),
            Limit::Millis(_) => None,
        };
        Self {
            limit,
            left: Mutex::new(limit.filter(|_| plan.omit == 0)),
        }
    }

    /// Counts bytes from now on; `reset` resets the flows' counters at the same instant.
    pub fn begin(&self, reset: impl FnOnce()) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        reset();
        *left = self.limit;
    }

    /// Whether the budget is used up.
    fn is_spent(&self) -> bool {
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        *left == Some(0)
    }

    /// Takes up to `length` bytes from the budget and adds them to `sent`.
    fn take(&self, length: u64, sent: &AtomicU64) -> u64 {
        let count = |taken| {
            sent.fetch_add(taken, Ordering::Relaxed);
            taken
        };
        if self.limit.is_none() {
            return count(length);
        }
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(left) = &mut *left else {
            return count(length);
        };
        let taken = length.min(*left);
        *left -= taken;
        count(taken)
    }
}

impl Flow {
    /// Creates a flow that has not started.
    pub fn new(association: Association) -> Arc<Self> {
        Arc::new(Self {
            association,
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            done: AtomicBool::new(false),
            has_all: AtomicBool::new(false),
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

    /// Whether sending has ended and every byte was delivered.
    pub fn is_delivered(&self) -> bool {
        let stats = self.association.stats();
        self.done.load(Ordering::Relaxed) && stats.is_none_or(|stats| stats.send_buffered == 0)
    }

    /// Whether the peer's share has arrived.
    pub fn has_all(&self) -> bool {
        self.has_all.load(Ordering::Relaxed)
    }

    /// Stops sending.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Starts sending on a new thread. The server tells the client when its share is sent.
    pub fn start_sending(self: &Arc<Self>, plan: &Plan, budget: &Arc<Budget>, end: End) {
        let (flow, plan, budget) = (Arc::clone(self), plan.clone(), Arc::clone(budget));
        thread::spawn(move || {
            flow.send_all(&plan, &budget);
            flow.done.store(true, Ordering::Relaxed);
            if end == End::Server && budget.limit.is_some() {
                flow.tell_done();
            }
        });
    }

    /// Starts receiving on a new thread; control messages go to `incoming`.
    pub fn start_receiving(self: &Arc<Self>, incoming: mpsc::Sender<Incoming>) {
        let flow = Arc::clone(self);
        thread::spawn(move || {
            let _ = incoming.send(flow.receive_all(&incoming));
        });
    }

    /// Sends `Done` once every byte was delivered.
    fn tell_done(&self) {
        while !self.stop.load(Ordering::Relaxed) {
            if self.is_delivered() {
                // The client may be gone.
                let _ = Control::Done.send(&self.association);
                return;
            }
            thread::sleep(LOOK);
        }
    }

    fn send_all(&self, plan: &Plan, budget: &Budget) {
        let length = usize::try_from(plan.length).unwrap_or(usize::MAX);
        // A fixed pattern, as in iperf3, since only the transport is measured.
        let pattern: Vec<u8> = (0..length).map(|at| (at % 251).to_le_bytes()[0]).collect();
        let payload = Bytes::from(pattern);
        let mut pace = plan.bitrate.map(|rate| Pace::new(rate, plan.burst));
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
            if let Some(pace) = pace.as_ref().filter(|_| !budget.is_spent()) {
                pace.wait(&self.stop);
            }
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let taken = budget.take(plan.length, &self.sent);
            let len = usize::try_from(taken).unwrap_or(0);
            if len == 0 {
                return;
            }
            if let Some(pace) = &mut pace {
                pace.add(len);
            }
            let message = Message::new(StreamId(turn + 1), payload.slice(..len)).with_ppid(LOAD);
            if self.association.send_with(message, options).is_err() {
                self.sent.fetch_sub(taken, Ordering::Relaxed);
                return;
            }
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
                // `Done` may arrive before messages of other associations, such as `Ready`.
                Ok(Control::Done) => {
                    self.has_all.store(true, Ordering::Relaxed);
                    continue;
                }
                Ok(control) => Incoming::Control(Box::new(control)),
                Err(why) => return Incoming::Ended(why),
            };
            if incoming.send(next).is_err() {
                return Incoming::Ended(String::new());
            }
        }
    }
}

/// Limits the sending rate.
struct Pace {
    began: Instant,
    bits_per_second: f64,
    bits: f64,
    /// Messages sent at once.
    burst: u32,
    /// Messages of the burst left to send.
    left: u32,
}

impl Pace {
    fn new(bits_per_second: u64, burst: u32) -> Self {
        Self {
            began: Instant::now(),
            bits_per_second: bits_per_second as f64,
            bits: 0.0,
            burst: burst.max(1),
            left: 0,
        }
    }

    /// Counts a sent message.
    fn add(&mut self, len: usize) {
        self.bits += len as f64 * 8.0;
        self.left = (self.left + 1) % self.burst;
    }

    /// Waits until the next message may be sent.
    fn wait(&self, stop: &AtomicBool) {
        if self.left > 0 {
            return;
        }
        let due = Duration::from_secs_f64(self.bits / self.bits_per_second);
        while let Some(rest) = due.checked_sub(self.began.elapsed()) {
            if stop.load(Ordering::Relaxed) || rest.is_zero() {
                return;
            }
            thread::sleep(rest.min(Duration::from_millis(50)));
        }
    }
}
