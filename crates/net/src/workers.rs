//! The endpoint's worker threads.
//!
//! All workers run the same loop: become the *poller*, of which there is one at a time; wait for
//! packets and timers; receive a batch of packets, verify it, give it to the engine and send what
//! that releases. Where more has come than fits a batch, the next worker polls meanwhile. So the
//! packets of one association are received, verified, digested and sent on several processors, and
//! still in order: batches are numbered, and the engine gets one after the other. With one thread
//! these are the steps of a loop.
//!
//! After a large batch a worker receives more before it answers and wakes anybody
//! ([`coalescing`](crate::receive_coalescing)).

use std::collections::{BTreeMap, VecDeque};
use std::io::Read;
use std::mem;
use std::sync::{Arc, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use sheave_engine::{Node, Time};

use crate::carrier::Batch;
use crate::driver::{BLOCKED_AT_MOST, Remaining, Shared};
use crate::locked::Locked;
use crate::receive_coalescing::Answer;
use crate::state::{self, Lifecycle, Output, State};
use crate::wait;

/// Trains that are sent before packets that came in are looked for.
const TRAINS: usize = 2;
/// Batches that are taken in before the timers get their turn, unless more sockets have packets.
const BATCHES: usize = 8;
/// A timer that runs so late or later may have expired while the thread had no processor, and what
/// it waits for may have come meanwhile: sockets are looked at first.
const LATE: Duration = Duration::from_millis(1);
/// Attempts to receive that may fail in a row before each further one costs a [`BACKOFF`].
const FAILURES: u32 = 16;
/// Pause before a socket is tried again that the kernel called ready and then refused.
const BACKOFF: Duration = Duration::from_millis(1);
/// The longest poll timeout while there is traffic.
const BUSY_TIMEOUT: Duration = Duration::from_millis(10);
/// Poll timeouts longer than this have no bound but the next deadline.
const IDLE_TIMEOUT: Duration = Duration::from_secs(1);

/// The state of the polling thread.
pub(crate) struct Poller {
    timeout: Duration,
    /// When a socket was ready last.
    quiet_since: Instant,
    /// Positions of sockets that may have packets, each in turn.
    ready: VecDeque<usize>,
    /// Batches that may be taken in before the next wait.
    left: usize,
    /// The number of the next batch.
    next: u64,
    late_check: LateCheck,
    /// Attempts to receive in a row that came to nothing though there should have been something.
    failures: u32,
}

/// Whether the sockets were checked before late timers run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LateCheck {
    NotYet,
    /// The sockets were checked: the timers run now.
    Done,
}

/// Received batches, put back into their order for the engine.
#[derive(Default)]
pub(crate) struct Reception {
    /// The number of the batch that the engine gets next.
    next: u64,
    /// Batches whose predecessors are not there yet: fewer than there are threads.
    early: BTreeMap<u64, Batch>,
    spare: Vec<Batch>,
}

impl Reception {
    /// The next batch, if it is there.
    fn next_early(&mut self) -> Option<Batch> {
        self.early.remove(&self.next)
    }
}

/// A worker thread.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    batch: Batch,
}

/// The thread that polls while a batch is digested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Nobody: the thread does so afterwards.
    This,
    /// Whoever is free.
    Anyone,
}

/// The poller's wait for packets.
struct PollWait {
    timeout: Duration,
    /// The socket whose send buffer is full.
    blocked: Option<usize>,
}

impl PollWait {
    /// A check of the sockets, without waiting.
    const NONE: Self = Self {
        timeout: Duration::ZERO,
        blocked: None,
    };
}

/// Ends every association should a thread panic, so that nobody waits for ever.
struct Watchdog(Arc<Shared>);

impl Drop for Watchdog {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.break_down();
        let awake = mem::take(&mut state.awake);
        drop(state);
        wait::wake(awake);
    }
}

impl Poller {
    pub(crate) fn new() -> Self {
        Self {
            timeout: BUSY_TIMEOUT,
            quiet_since: Instant::now(),
            ready: VecDeque::new(),
            left: 0,
            next: 0,
            late_check: LateCheck::NotYet,
            failures: 0,
        }
    }

    /// Nothing was received from a socket that had something. A few times that is a damaged packet,
    /// or an error that is gone once it was told; where it goes on, the thread is not to spin.
    fn on_failure(&mut self) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= FAILURES {
            thread::sleep(BACKOFF);
        }
    }

    /// Whether timers wait for a look at the sockets, where the first expired at `due`, if any did;
    /// once at most.
    fn checks_sockets_first(&mut self, due: Option<Time>, now: Time) -> bool {
        let late = due.is_some_and(|due| now.since(due) >= LATE);
        let first = late && self.late_check == LateCheck::NotYet;
        self.late_check = if first {
            LateCheck::Done
        } else {
            LateCheck::NotYet
        };
        first
    }

    /// Begins anew with the sockets that have packets: each gets a turn before any gets another.
    fn begin(&mut self, ready: impl Iterator<Item = usize>) {
        self.ready = ready.collect();
        self.left = BATCHES.max(self.ready.len());
    }

    /// The position of the socket whose turn it is; `None` when it is time for a wait.
    fn next_socket(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        self.ready.pop_front()
    }
}

impl Worker {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            batch: Batch::default(),
        }
    }

    /// Works until the endpoint is closed.
    pub(crate) fn run(mut self) {
        let _watchdog = Watchdog(Arc::clone(&self.shared));
        let shared = Arc::clone(&self.shared);
        loop {
            let poller = shared.poller.lock();
            let mut poller = poller.unwrap_or_else(PoisonError::into_inner);
            let Some(number) = self.next_batch(&mut poller) else {
                return;
            };
            // Where more waits than fits a batch, another thread goes on receiving. Else to wake it
            // would cost more than it does.
            let next = if self.batch.is_full() && shared.workers > 1 {
                drop(poller);
                Next::Anyone
            } else {
                Next::This
            };
            self.deliver(number, next);
        }
    }

    /// Waits for the next batch and receives it; its number, or `None` when the endpoint is closed.
    fn next_batch(&mut self, poller: &mut Poller) -> Option<u64> {
        let shared = Arc::clone(&self.shared);
        loop {
            while let Some(position) = poller.next_socket() {
                if shared.carrier.receive(position, &mut self.batch).is_err() {
                    poller.on_failure();
                    continue;
                }
                poller.failures = 0;
                if self.batch.is_large() {
                    poller.ready.push_back(position);
                }
                let number = poller.next;
                poller.next += 1;
                return Some(number);
            }
            let wait = shared.turn(poller)?;
            shared.wait(poller, &wait);
        }
    }

    /// Gives the engine the batch of that number, once it has those before, and sends what follows
    /// from them.
    fn deliver(&mut self, number: u64, next: Next) {
        let shared = Arc::clone(&self.shared);
        shared.carrier.open(&mut self.batch);
        self.batch.verify(shared.checksum);
        let now = shared.clock.now();
        let mut state = shared.lock();
        if state.reception.next != number {
            let spare = state.reception.spare.pop();
            let early = mem::replace(&mut self.batch, spare.unwrap_or_default());
            state.reception.early.insert(number, early);
            return;
        }
        shared.handle_batch(&mut state, now, &self.batch);
        state.reception.next += 1;
        while let Some(batch) = state.reception.next_early() {
            shared.handle_batch(&mut state, now, &batch);
            state.reception.next += 1;
            state.reception.spare.push(batch);
        }
        shared.follow_connections(&mut state, now);
        if next == Next::This && self.batch.is_large() {
            let associations = state.engine.stats().associations;
            let Answer::Now = state.coalescing.add(self.batch.bytes(), associations) else {
                return;
            };
            state.dispatch_events(now);
            state.defer_waking();
        } else {
            state.wake_deferred();
        }
        let (mut state, mut left) = shared.settle(state, now, TRAINS);
        // Whoever looks out sends what is left; if another one does, it may be asleep.
        while left == Remaining::Trains
            && next == Next::Anyone
            && !matches!(state.output, Output::Blocked { .. })
            && matches!(shared.poller.try_lock(), Err(TryLockError::WouldBlock))
        {
            (state, left) = shared.settle(state, shared.clock.now(), TRAINS);
        }
        shared.leave(state, left);
    }
}

impl Shared {
    /// Runs timers, sends, and says how long to sleep; `None` when the endpoint is closed.
    fn turn(&self, poller: &mut Poller) -> Option<PollWait> {
        self.carrier.handle_timeouts();
        let now = self.clock.now();
        let mut state = self.lock();
        state.wake_deferred();
        if matches!(state.lifecycle, Lifecycle::Closed { .. }) {
            // Last packets may be left, if the thread that closed it found another one sending.
            let (state, _) = self.settle(state, now, usize::MAX);
            self.leave(state, Remaining::Nothing);
            self.carrier.close_connections();
            return None;
        }
        state.drop_old_ports(now);
        self.follow_connections(&mut state, now);
        for packet in self.siblings.take() {
            state.engine.handle_datagram(now, packet.datagram());
        }
        let due = state.engine.poll_timeout().filter(|due| *due <= now);
        if poller.checks_sockets_first(due, now) {
            return Some(PollWait::NONE);
        }
        if due.is_some() {
            state.engine.handle_timeout(now);
        }
        let state = self.resume(state, now);
        let (mut state, left) = self.settle(state, now, TRAINS);
        if let Lifecycle::Closing(until) = state.lifecycle
            && (until <= now || state.engine.stats().associations == 0)
        {
            self.close(state, now);
            return None;
        }
        let wait = self.poll_wait(&state, now, poller.timeout, left);
        state.poller = state::PollerState::Until(now + wait.timeout);
        let awake = mem::take(&mut state.awake);
        drop(state);
        wait::wake(awake);
        Some(wait)
    }

    fn poll_wait(&self, state: &State, now: Time, timeout: Duration, left: Remaining) -> PollWait {
        let (blocked, refused) = match &state.output {
            // A socket that is writable and does not take the train is not asked for in a loop.
            Output::Blocked { attempts, .. } if *attempts > 1 => (None, true),
            Output::Blocked { transmit, .. } => (self.carrier.position_for(transmit), false),
            Output::Idle(_) | Output::Busy => (None, false),
        };
        let mut span = match timeout {
            timeout if timeout > IDLE_TIMEOUT => Duration::from_secs(3600),
            timeout => timeout,
        };
        if let Some(due) = state.engine.poll_timeout() {
            span = span.min(due.since(now));
        }
        if let Some(left) = self.carrier.until_timeout() {
            span = span.min(left);
        }
        if let Lifecycle::Closing(until) = state.lifecycle {
            span = span.min(until.since(now));
        }
        match (blocked, left) {
            (None, _) if refused => span = span.min(BACKOFF),
            (Some(_), _) => span = span.min(BLOCKED_AT_MOST),
            (None, Remaining::Trains) => span = Duration::ZERO,
            (None, Remaining::Nothing) => {}
        }
        PollWait {
            timeout: span,
            blocked,
        }
    }

    /// Sleeps until something comes, and notes where.
    fn wait(&self, poller: &mut Poller, wait: &PollWait) {
        let mut polled = Vec::with_capacity(4);
        polled.push(PollFd::new(&self.alerts, PollFlags::IN));
        for socket in self.carrier.sockets() {
            polled.push(PollFd::new(socket, PollFlags::IN));
        }
        if let Some(blocked) = wait.blocked
            && let Some(socket) = self.carrier.socket(blocked)
        {
            polled[blocked + 1] = PollFd::new(socket, PollFlags::IN | PollFlags::OUT);
        }
        let count = self.poll(poller, &mut polled, wait.timeout);
        self.lock().poller = state::PollerState::Awake;
        poller.timeout = match count {
            0 if wait.timeout >= poller.timeout => poller.timeout.saturating_mul(2),
            0 => poller.timeout,
            _ => BUSY_TIMEOUT,
        };
        if !polled[0].revents().is_empty() {
            let mut bytes = [0; 64];
            let _ = (&self.alerts).read(&mut bytes);
        }
        let sockets = || polled[1..].iter().map(PollFd::revents).enumerate();
        for (position, _) in sockets().filter(|(_, seen)| seen.contains(PollFlags::ERR)) {
            self.on_socket_error(position);
        }
        let ready = sockets().filter(|(_, seen)| !seen.is_empty());
        poller.begin(ready.map(|(position, _)| position));
    }

    /// Polls for at most `span` and returns how many sockets are ready: spins for as long as
    /// [`Config::busy_poll`](crate::Config::busy_poll) says since one was ready last, then sleeps.
    fn poll(&self, poller: &mut Poller, polled: &mut [PollFd<'_>], span: Duration) -> usize {
        let mut left = span;
        if !self.busy_poll.is_zero() {
            let began = Instant::now();
            let spin = self.busy_poll.saturating_sub(poller.quiet_since.elapsed());
            while began.elapsed() < spin.min(span) {
                let ready = self.carrier.poll(polled, Duration::ZERO);
                if ready > 0 {
                    poller.quiet_since = Instant::now();
                    return ready;
                }
                std::hint::spin_loop();
            }
            left = span.saturating_sub(began.elapsed());
        }
        let ready = self.carrier.poll(polled, left);
        if ready > 0 {
            poller.quiet_since = Instant::now();
        }
        ready
    }

    /// Gives the engine the ICMP errors about packets that a socket sent.
    fn on_socket_error(&self, position: usize) {
        self.carrier.read_icmp_reports(position);
        let now = self.clock.now();
        self.report_icmp(&mut self.lock(), now);
    }

    /// Gives the engine the packets that came in.
    fn handle_batch(&self, state: &mut Locked<'_>, now: Time, batch: &Batch) {
        let raw = self.carrier.udp_port().is_none();
        for (datagram, known) in batch.datagrams() {
            // A raw socket sees the packets of other stacks too, should its filter be wider than
            // our ports; those are not out of the blue but somebody else's.
            if raw && !destination_port(datagram.payload).is_some_and(|p| state.ports.contains(p)) {
                self.carrier.count_foreign();
                continue;
            }
            match self.siblings.sort(datagram) {
                Some(datagram) => state.engine.handle_verified(now, datagram, known),
                None => self.carrier.count_misdirected(),
            }
        }
    }
}

/// The destination port of an SCTP packet.
fn destination_port(packet: &[u8]) -> Option<u16> {
    let bytes = packet.get(2..4)?;
    Some(u16::from_be_bytes(bytes.try_into().ok()?))
}
#[cfg(test)]
mod tests;
