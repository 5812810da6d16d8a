//! The endpoint's own threads.
//!
//! Each does the same: it becomes the *lookout*, which one of them is at a time; waits for packets and
//! timers; receives a batch of packets, verifies it, gives it to the engine and sends what that releases.
//! Where more has come than fits a batch, the next one looks out meanwhile. So the packets of one
//! association are received, verified, digested and sent on several processors, and still in order:
//! batches are numbered, and the engine gets one after the other. With one thread these are the steps
//! of a loop.
//!
//! After a large batch a thread looks for more before it answers and wakes anybody
//! ([`gathering`](crate::gathering)).

use std::collections::{BTreeMap, VecDeque};
use std::io::Read;
use std::mem;
use std::sync::{Arc, MutexGuard, PoisonError, TryLockError};
use std::task::Waker;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use sheave_engine::{Node, Time};

use crate::carrier::Batch;
use crate::driver::{BLOCKED_AT_MOST, Left, Shared};
use crate::gathering::Answer;
use crate::state::{self, Life, Output, State};

/// Trains that are sent before packets that came in are looked for.
const TRAINS: usize = 2;
/// Batches that are taken in before the timers get their turn, unless more sockets have packets.
const BATCHES: usize = 8;
/// A timer that runs so late or later may have expired while the thread had no processor, and what it
/// waits for may have come meanwhile: sockets are looked at first.
const LATE: Duration = Duration::from_millis(1);
/// Longest sleep while there is traffic.
const SHORT_NAP: Duration = Duration::from_millis(10);
/// Naps longer than this have no bound but the next deadline.
const LONG_NAP: Duration = Duration::from_secs(1);

/// What the lookout knows.
pub(crate) struct Lookout {
    nap: Duration,
    /// When there was something last.
    quiet_since: Instant,
    /// Positions of sockets that may have packets, each in turn.
    ready: VecDeque<usize>,
    /// Batches that may be taken in before the next wait.
    left: usize,
    /// The number of the next batch.
    next: u64,
    glance: Glance,
}

/// Whether sockets were looked at for the sake of timers that are late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Glance {
    NotYet,
    /// Timers have waited long enough.
    Taken,
}

/// Batches on their way to the engine.
#[derive(Default)]
pub(crate) struct Reception {
    /// The number of the batch that it gets next.
    turn: u64,
    /// Those whose predecessors are not there yet: fewer than there are threads.
    early: BTreeMap<u64, Batch>,
    spare: Vec<Batch>,
}

impl Reception {
    /// The batch whose turn it is, if it is there.
    fn next_early(&mut self) -> Option<Batch> {
        self.early.remove(&self.turn)
    }
}

/// One of the threads.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    batch: Batch,
}

/// Who looks out while a batch is taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Nobody: the thread does so afterwards.
    This,
    /// Whoever is free.
    Anyone,
}

/// How long the lookout sleeps.
struct Pause {
    span: Duration,
    /// The socket whose send buffer is full.
    blocked: Option<usize>,
}

impl Pause {
    /// A look at the sockets, no more.
    const NONE: Self = Self {
        span: Duration::ZERO,
        blocked: None,
    };
}

/// Ends every association should a thread panic, so that nobody waits for ever.
struct Watchdog(Arc<Shared>);

impl Drop for Watchdog {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if !matches!(state.life, Life::Closed { .. }) {
            state.finish(0);
        }
        let awake = mem::take(&mut state.awake);
        drop(state);
        awake.into_iter().for_each(Waker::wake);
    }
}

impl Lookout {
    pub(crate) fn new() -> Self {
        Self {
            nap: SHORT_NAP,
            quiet_since: Instant::now(),
            ready: VecDeque::new(),
            left: 0,
            next: 0,
            glance: Glance::NotYet,
        }
    }

    /// Whether timers wait for a look at the sockets, where the first expired at `due`, if any did;
    /// once at most.
    fn glances_first(&mut self, due: Option<Time>, now: Time) -> bool {
        let late = due.is_some_and(|due| now.since(due) >= LATE);
        let first = late && self.glance == Glance::NotYet;
        self.glance = if first { Glance::Taken } else { Glance::NotYet };
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
            let lookout = shared.lookout.lock();
            let mut lookout = lookout.unwrap_or_else(PoisonError::into_inner);
            let Some(number) = self.look_out(&mut lookout) else {
                return;
            };
            // Where more waits than fits a batch, another thread goes on receiving. Else to wake it
            // would cost more than it does.
            let next = if self.batch.is_full() && shared.workers > 1 {
                drop(lookout);
                Next::Anyone
            } else {
                Next::This
            };
            self.take_in(number, next);
        }
    }

    /// Waits for the next batch and receives it; its number, or `None` when the endpoint is closed.
    fn look_out(&mut self, lookout: &mut Lookout) -> Option<u64> {
        let shared = Arc::clone(&self.shared);
        loop {
            while let Some(position) = lookout.next_socket() {
                if shared.carrier.receive(position, &mut self.batch).is_err() {
                    continue;
                }
                if self.batch.is_large() {
                    lookout.ready.push_back(position);
                }
                let number = lookout.next;
                lookout.next += 1;
                return Some(number);
            }
            let pause = shared.turn(lookout)?;
            shared.wait(lookout, &pause);
        }
    }

    /// Gives the engine the batch of that number, once it has those before, and sends what follows
    /// from them.
    fn take_in(&mut self, number: u64, next: Next) {
        let shared = Arc::clone(&self.shared);
        self.batch.verify(shared.checksum);
        let now = shared.clock.now();
        let mut state = shared.lock();
        if state.reception.turn != number {
            let spare = state.reception.spare.pop();
            let early = mem::replace(&mut self.batch, spare.unwrap_or_default());
            state.reception.early.insert(number, early);
            return;
        }
        shared.digest(&mut state, now, &self.batch);
        state.reception.turn += 1;
        while let Some(batch) = state.reception.next_early() {
            shared.digest(&mut state, now, &batch);
            state.reception.turn += 1;
            state.reception.spare.push(batch);
        }
        if next == Next::This && self.batch.is_large() {
            let associations = state.engine.stats().associations;
            let Answer::Now = state.gathering.add(self.batch.bytes(), associations) else {
                return;
            };
            state.dispatch_events(now);
            state.put_off_waking();
        } else {
            state.wake_late();
        }
        let (mut state, mut left) = shared.settle(state, now, TRAINS);
        // Whoever looks out sends what is left; if another one does, it may be asleep.
        while left == Left::Trains
            && next == Next::Anyone
            && !matches!(state.output, Output::Blocked { .. })
            && matches!(shared.lookout.try_lock(), Err(TryLockError::WouldBlock))
        {
            (state, left) = shared.settle(state, shared.clock.now(), TRAINS);
        }
        shared.leave(state, left);
    }
}

impl Shared {
    /// Runs timers, sends, and says how long to sleep; `None` when the endpoint is closed.
    fn turn(&self, lookout: &mut Lookout) -> Option<Pause> {
        let now = self.clock.now();
        let mut state = self.lock();
        state.wake_late();
        if matches!(state.life, Life::Closed { .. }) {
            // Last packets may be left, if the thread that closed it found another one sending.
            let (state, _) = self.settle(state, now, usize::MAX);
            self.leave(state, Left::Nothing);
            return None;
        }
        state.drop_old_ports(now);
        for stray in self.siblings.take() {
            state.engine.handle_datagram(now, stray.datagram());
        }
        let due = state.engine.poll_timeout().filter(|due| *due <= now);
        if lookout.glances_first(due, now) {
            return Some(Pause::NONE);
        }
        if due.is_some() {
            state.engine.handle_timeout(now);
        }
        let state = self.resume(state, now);
        let (mut state, left) = self.settle(state, now, TRAINS);
        if let Life::Closing(until) = state.life
            && (until <= now || state.engine.stats().associations == 0)
        {
            self.close(state, now);
            return None;
        }
        let pause = self.pause(&state, now, lookout.nap, left);
        state.lookout = state::Rest::Until(now + pause.span);
        let awake = mem::take(&mut state.awake);
        drop(state);
        awake.into_iter().for_each(Waker::wake);
        Some(pause)
    }

    fn pause(&self, state: &State, now: Time, nap: Duration, left: Left) -> Pause {
        let blocked = match &state.output {
            Output::Blocked { transmit, .. } => self.carrier.position(transmit.local),
            Output::Idle(_) | Output::Busy => None,
        };
        let mut span = match nap {
            nap if nap > LONG_NAP => Duration::from_secs(3600),
            nap => nap,
        };
        if let Some(due) = state.engine.poll_timeout() {
            span = span.min(due.since(now));
        }
        if let Life::Closing(until) = state.life {
            span = span.min(until.since(now));
        }
        match (blocked, left) {
            (Some(_), _) => span = span.min(BLOCKED_AT_MOST),
            (None, Left::Trains) => span = Duration::ZERO,
            (None, Left::Nothing) => {}
        }
        Pause { span, blocked }
    }

    /// Sleeps until something comes, and notes where.
    fn wait(&self, lookout: &mut Lookout, pause: &Pause) {
        let mut polled = Vec::with_capacity(4);
        polled.push(PollFd::new(&self.alerts, PollFlags::IN));
        for socket in self.carrier.sockets() {
            polled.push(PollFd::new(socket, PollFlags::IN));
        }
        if let Some(blocked) = pause.blocked
            && let Some(socket) = self.carrier.socket(blocked)
        {
            polled[blocked + 1] = PollFd::new(socket, PollFlags::IN | PollFlags::OUT);
        }
        let count = self.watch(lookout, &mut polled, pause.span);
        self.lock().lookout = state::Rest::Awake;
        lookout.nap = match count {
            0 if pause.span >= lookout.nap => lookout.nap.saturating_mul(2),
            0 => lookout.nap,
            _ => SHORT_NAP,
        };
        if !polled[0].revents().is_empty() {
            let mut bytes = [0; 64];
            let _ = (&self.alerts).read(&mut bytes);
        }
        let sockets = || polled[1..].iter().map(PollFd::revents).enumerate();
        for (position, _) in sockets().filter(|(_, seen)| seen.contains(PollFlags::ERR)) {
            self.hear(position);
        }
        let ready = sockets().filter(|(_, seen)| !seen.is_empty());
        lookout.begin(ready.map(|(position, _)| position));
    }

    /// Waits for at most `span` and returns how many have something: first awake for as long as the
    /// user wants since there was something last, then asleep.
    fn watch(&self, lookout: &mut Lookout, polled: &mut [PollFd<'_>], span: Duration) -> usize {
        let mut left = span;
        if !self.busy_poll.is_zero() {
            let began = Instant::now();
            let vigil = self.busy_poll.saturating_sub(lookout.quiet_since.elapsed());
            while began.elapsed() < vigil.min(span) {
                let ready = poll(polled, Some(&timespec(Duration::ZERO))).unwrap_or(0);
                if ready > 0 {
                    lookout.quiet_since = Instant::now();
                    return ready;
                }
                std::hint::spin_loop();
            }
            left = span.saturating_sub(began.elapsed());
        }
        let ready = poll(polled, Some(&timespec(left))).unwrap_or(0);
        if ready > 0 {
            lookout.quiet_since = Instant::now();
        }
        ready
    }

    /// Takes in what is said of packets that a socket sent.
    fn hear(&self, position: usize) {
        self.carrier.listen_for_complaints(position);
        let now = self.clock.now();
        self.heed(&mut self.lock(), now);
    }

    /// Gives the engine the packets that came in.
    fn digest(&self, state: &mut MutexGuard<'_, State>, now: Time, batch: &Batch) {
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

fn timespec(span: Duration) -> Timespec {
    Timespec {
        tv_sec: span.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: span.subsec_nanos().into(),
    }
}

#[cfg(test)]
mod tests;
