//! The poller: whoever waits for packets and timers at present, of whom there is one at a time. A
//! [worker](crate::workers) as a rule, a [waiting reader](crate::watch) now and then.

use std::collections::VecDeque;
use std::io::Read;
use std::mem;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use sheave_engine::{Node, Time};

use crate::carrier::Batch;
use crate::driver::{BLOCKED_AT_MOST, Remaining, Shared};
use crate::state::{Lifecycle, Output, PollerState, State};
use crate::wait;

/// Trains that are sent before packets that came in are looked for.
pub(crate) const TRAINS: usize = 2;
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
    spinning: Spinning,
    /// Positions of sockets that may have packets, each in turn.
    ready: VecDeque<usize>,
    /// Batches that may be taken in before the next wait.
    left: usize,
    /// The number of the next batch.
    next: u64,
    late_check: LateCheck,
    /// Attempts to receive in a row that came to nothing though there should have been something.
    failures: u32,
    /// For the batches of a reader that polls.
    batch: Option<Batch>,
}

/// Whether to stay awake in a wait: where that was in vain, not in the next waits, ever more of them. So
/// a span too short for what the peer takes costs next to nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spinning {
    /// Attempts in vain, in a row.
    vain: u32,
    /// Waits that pass before the next attempt.
    passes: u32,
}

impl Spinning {
    /// The exponent of the most waits that pass between two attempts.
    const MOST: u32 = 8;

    /// Whether to stay awake in this wait.
    fn is_due(&mut self) -> bool {
        let due = self.passes == 0;
        self.passes = self.passes.saturating_sub(1);
        due
    }

    /// Nothing came while the thread stayed awake.
    fn on_vain(&mut self) {
        self.vain = (self.vain + 1).min(Self::MOST);
        self.passes = (1 << self.vain) - 1;
    }
}

/// The outcome of a look at the sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// The number of the batch that was received.
    Batch(u64),
    Nothing,
    /// The endpoint is closed.
    Closed,
}

/// Whether the sockets were checked before late timers run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LateCheck {
    NotYet,
    /// The sockets were checked: the timers run now.
    Done,
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

impl Poller {
    pub(crate) fn new() -> Self {
        Self {
            timeout: BUSY_TIMEOUT,
            quiet_since: Instant::now(),
            spinning: Spinning::default(),
            ready: VecDeque::new(),
            left: 0,
            next: 0,
            late_check: LateCheck::NotYet,
            failures: 0,
            batch: None,
        }
    }

    /// A batch for a reader, which gives it back.
    pub(crate) fn take_batch(&mut self) -> Batch {
        self.batch.take().unwrap_or_default()
    }

    pub(crate) fn put_batch(&mut self, batch: Batch) {
        self.batch = Some(batch);
    }

    /// Whether a socket may have more packets.
    pub(crate) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
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

impl Shared {
    /// Receives the next batch; waits for it once, at most for `longest`.
    pub(crate) fn look(&self, poller: &mut Poller, batch: &mut Batch, longest: Duration) -> Look {
        for last in [false, true] {
            while let Some(position) = poller.next_socket() {
                if self.carrier.receive(position, batch).is_err() {
                    poller.on_failure();
                    continue;
                }
                poller.failures = 0;
                if batch.is_large() {
                    poller.ready.push_back(position);
                }
                let number = poller.next;
                poller.next += 1;
                return Look::Batch(number);
            }
            if last {
                break;
            }
            let Some(wait) = self.turn(poller, longest) else {
                return Look::Closed;
            };
            self.wait(poller, &wait);
        }
        Look::Nothing
    }

    /// Runs timers, sends, and says how long to sleep; `None` when the endpoint is closed.
    fn turn(&self, poller: &mut Poller, longest: Duration) -> Option<PollWait> {
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
        let mut wait = self.poll_wait(&state, now, poller.timeout, left);
        wait.timeout = wait.timeout.min(longest);
        state.poller = PollerState::Until(now + wait.timeout);
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
        let news = polled.len();
        if let Some(news) = &self.news {
            polled.push(PollFd::new(news, PollFlags::IN));
        }
        if let Some(blocked) = wait.blocked
            && let Some(socket) = self.carrier.socket(blocked)
        {
            polled[blocked + 1] = PollFd::new(socket, PollFlags::IN | PollFlags::OUT);
        }
        let count = self.poll(poller, &mut polled, wait.timeout);
        self.lock().poller = PollerState::Awake;
        poller.timeout = match count {
            0 if wait.timeout >= poller.timeout => poller.timeout.saturating_mul(2),
            0 => poller.timeout,
            _ => BUSY_TIMEOUT,
        };
        if !polled[0].revents().is_empty() {
            let mut bytes = [0; 64];
            let _ = (&self.alerts).read(&mut bytes);
        }
        let sockets = || polled[1..news].iter().map(PollFd::revents).enumerate();
        for (position, _) in sockets().filter(|(_, seen)| seen.contains(PollFlags::ERR)) {
            self.on_socket_error(position);
        }
        let ready = sockets().filter(|(_, seen)| !seen.is_empty());
        poller.begin(ready.map(|(position, _)| position));
        if polled
            .get(news)
            .is_some_and(|news| !news.revents().is_empty())
        {
            self.follow_addresses();
        }
    }

    /// Polls for at most `span` and returns how many sockets are ready: spins for as long as
    /// [`Config::busy_poll`](crate::Config::busy_poll) says since one was ready last, while that finds
    /// something, then sleeps.
    fn poll(&self, poller: &mut Poller, polled: &mut [PollFd<'_>], span: Duration) -> usize {
        let mut left = span;
        let spin = self.busy_poll.saturating_sub(poller.quiet_since.elapsed());
        if !spin.is_zero() && poller.spinning.is_due() {
            let began = Instant::now();
            while began.elapsed() < spin.min(span) {
                let ready = self.carrier.poll(polled, Duration::ZERO);
                if ready > 0 {
                    poller.quiet_since = Instant::now();
                    poller.spinning = Spinning::default();
                    return ready;
                }
                std::hint::spin_loop();
            }
            poller.spinning.on_vain();
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
}

#[cfg(test)]
mod tests;
