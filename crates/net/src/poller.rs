//! The poller: the one thread that currently waits for packets and timers, usually a
//! [worker](crate::workers), sometimes a [waiting reader](crate::watch).

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

/// Maximum trains sent before the sockets are checked for packets.
pub(crate) const TRAINS: usize = 2;
/// Maximum batches received before timers run, or one per ready socket if there are more.
const BATCHES: usize = 8;
/// Lateness from which a timer may have expired while the thread was descheduled; the packet that
/// would have stopped it may have arrived, so the sockets are read first.
const LATE: Duration = Duration::from_millis(1);
/// Failed receives in a row from which each costs a [`BACKOFF`].
const FAILURES: u32 = 16;
/// Pause before retrying a socket that was reported ready but then failed.
const BACKOFF: Duration = Duration::from_millis(1);
/// Poll timeout while there is traffic.
const BUSY_TIMEOUT: Duration = Duration::from_millis(10);
/// Poll timeout beyond which only the next deadline limits the sleep.
const IDLE_TIMEOUT: Duration = Duration::from_secs(1);

/// The state of the polling thread.
pub(crate) struct Poller {
    timeout: Duration,
    /// When a socket was last ready.
    quiet_since: Instant,
    spinning: Spinning,
    /// Positions of sockets that may have packets, served round-robin.
    ready: VecDeque<usize>,
    /// Batches that may still be received before the next wait.
    left: usize,
    /// Number of the next batch.
    next: u64,
    late_check: LateCheck,
    /// Consecutive failed receives from sockets reported ready.
    failures: u32,
    /// Reusable batch for a polling reader.
    batch: Option<Batch>,
}

/// Decides whether a wait begins with spinning. After each spin that finds nothing, more waits are
/// skipped, so that a busy-poll time too short for the peer's response costs little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spinning {
    /// Consecutive spins that found nothing.
    vain: u32,
    /// Waits to skip before the next spin.
    passes: u32,
}

impl Spinning {
    /// Maximum of `vain`: at most 2^MOST - 1 waits are skipped.
    const MOST: u32 = 8;

    /// Whether to spin in this wait.
    fn is_due(&mut self) -> bool {
        let due = self.passes == 0;
        self.passes = self.passes.saturating_sub(1);
        due
    }

    /// Records a spin that found nothing.
    fn on_vain(&mut self) {
        self.vain = (self.vain + 1).min(Self::MOST);
        self.passes = (1 << self.vain) - 1;
    }
}

/// Result of checking the sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// A batch was received; its number.
    Batch(u64),
    Nothing,
    /// The endpoint is closed.
    Closed,
}

/// Whether the sockets have been checked before late timers run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LateCheck {
    NotYet,
    /// The sockets have been checked; the timers may run.
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

    /// Takes the reader's batch; returned with [`put_batch`](Self::put_batch).
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

    /// Records a failed receive from a ready socket. A few failures are normal, such as a damaged
    /// packet or an error reported once; after [`FAILURES`] in a row, the thread pauses instead of
    /// spinning.
    fn on_failure(&mut self) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= FAILURES {
            thread::sleep(BACKOFF);
        }
    }

    /// Whether to check the sockets before running timers, the first of which expired at `due`.
    /// True at most once in a row.
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

    /// Starts a round over the ready sockets, each of which gets a turn.
    fn begin(&mut self, ready: impl Iterator<Item = usize>) {
        self.ready = ready.collect();
        self.left = BATCHES.max(self.ready.len());
    }

    /// Position of the next socket to receive from; `None` if it is time to wait.
    fn next_socket(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        self.ready.pop_front()
    }
}

impl Shared {
    /// Receives the next batch, waiting once for at most `longest`.
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

    /// Runs timers, sends, and returns how long to sleep; `None` when the endpoint is closed.
    fn turn(&self, poller: &mut Poller, longest: Duration) -> Option<PollWait> {
        self.carrier.handle_timeouts();
        let now = self.clock.now();
        let mut state = self.lock();
        state.wake_deferred();
        if matches!(state.lifecycle, Lifecycle::Closed { .. }) {
            // Final packets may remain if another thread was sending when the endpoint closed.
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
            // If a writable socket still refuses the train, retry after a pause instead of polling
            // in a loop.
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

    /// Sleeps until a socket is ready or the timeout, and records the ready sockets.
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

    /// Polls for at most `span` and returns the number of ready descriptors. Unless spinning is
    /// suspended, spins until [`Config::busy_poll`](crate::Config::busy_poll) after the last ready
    /// socket, then sleeps.
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

    /// Passes a socket's ICMP errors to the engine.
    fn on_socket_error(&self, position: usize) {
        self.carrier.read_icmp_reports(position);
        let now = self.clock.now();
        self.report_icmp(&mut self.lock(), now);
    }
}

#[cfg(test)]
mod tests;
