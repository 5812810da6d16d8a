//! The vacancy: the poller's role, kept free for a reader that is about to wait again.
//!
//! A thread that repeatedly receives and answers is fastest when it polls the sockets itself: no
//! other thread must wake it, and it sends its own answers. Once a reader has answered and returned
//! quickly several times in a row, the worker leaves it the poller's role and stands by. The reader
//! [takes the role](crate::watch) when it waits again, and gives it up when it has its message. The
//! standby worker checks every millisecond whether the reader has stayed away, and polls if it has
//! or if it is called. For a reader that does not answer, a worker that receives packets meanwhile
//! is better.

use std::mem;
use std::thread::Thread;
use std::time::Duration;

use sheave_engine::{AssocId, Time};

use crate::assoc_state::AssocState;
use crate::state::{Lifecycle, Output, PollerState, State};

/// Maximum time between a reader's message and its next wait for a quick return.
const SOON: Duration = Duration::from_micros(500);

/// Quick returns in a row after which the reader is expected to return again.
const RETURNS: u32 = 8;

/// Time for which the role is kept free for the reader.
const KEPT_FREE: Duration = Duration::from_micros(200);

/// Consecutive checks that find the reader still waiting before the worker sleeps until called.
const QUIET_LOOKS: u32 = 16;

/// The returning reader and its standby worker.
#[derive(Debug, Default)]
pub(crate) struct Vacancy {
    /// The association whose waiting reader a worker must wake.
    waiting: Option<AssocId>,
    /// When its last message arrived.
    woken_at: Time,
    /// Whether a message was sent after that.
    answered: bool,
    /// Consecutive quick returns with an answer sent.
    returns: u32,
    /// The standby worker, if any.
    standby: Option<Standby>,
}

/// A worker on standby.
#[derive(Debug)]
struct Standby {
    thread: Thread,
    rest: Rest,
    /// Whether the role was free at any time since the last check.
    seen_free: bool,
    /// Consecutive checks that found the reader polling all the time.
    quiet: u32,
}

/// Sleep of a standby worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Until its next check.
    Short,
    /// Until the reader gives up the role.
    UntilCalled,
}

/// The thread to wake once the lock is free.
#[derive(Debug)]
pub(crate) enum Rousal {
    /// The thread that sleeps in `poll`.
    Alarm,
    /// The standby worker, if any.
    Worker(Thread),
    Nobody,
}

/// Whether a reader about to wait may poll.
#[derive(Debug)]
pub(crate) enum Place {
    /// The reader may poll.
    Free,
    /// The reader may not poll; another thread may have to be woken.
    Taken(Rousal),
}

impl Vacancy {
    /// Records that a reader of `id` begins to wait.
    fn on_wait(&mut self, now: Time, id: AssocId) {
        let comes_back = self.answered && now.since(self.woken_at) < SOON;
        self.returns = match comes_back {
            true => self.returns.saturating_add(1),
            false => 0,
        };
        self.waiting = Some(id);
    }

    /// Records that the reader's message arrived.
    fn on_message(&mut self, now: Time) {
        self.woken_at = now;
        self.answered = false;
    }

    /// Records that a message was sent.
    pub(crate) fn on_send(&mut self) {
        self.answered = true;
    }

    /// Whether the reader is expected to return quickly.
    fn expects(&self) -> bool {
        self.returns >= RETURNS
    }
}

impl State {
    /// Decides whether a reader of `id` that is about to wait may poll.
    pub(crate) fn begin_wait(&mut self, now: Time, id: AssocId) -> Place {
        let vacant = matches!(self.poller, PollerState::Vacant { .. });
        if vacant && self.vacancy.answered {
            return Place::Free;
        }
        self.vacancy.on_wait(now, id);
        match vacant {
            true => Place::Taken(self.rouse()),
            false => Place::Taken(Rousal::Nobody),
        }
    }

    /// Leaves the poller's role to the reader just woken by the worker's batch, if that reader
    /// usually returns quickly. Returns whether it did.
    pub(crate) fn vacate(&mut self, now: Time) -> bool {
        let waits = |id: &AssocId| self.assocs.get(id).is_some_and(AssocState::has_reader);
        let Some(woken) = self.vacancy.waiting.filter(|id| !waits(id)) else {
            return false;
        };
        self.vacancy.waiting = None;
        self.vacancy.on_message(now);
        if !self.vacancy.expects() || self.needs_worker(woken) {
            return false;
        }
        self.poller = PollerState::vacant(now);
        true
    }

    /// Ends the polling of the reader of `id`; returns the thread to wake.
    pub(crate) fn leave_watch(&mut self, now: Time, id: AssocId, calls: bool) -> Rousal {
        self.poller = PollerState::vacant(now);
        self.vacancy.on_message(now);
        if calls || self.needs_worker(id) {
            return self.rouse();
        }
        let Some(standby) = &mut self.vacancy.standby else {
            return Rousal::Nobody;
        };
        standby.seen_free = true;
        match mem::replace(&mut standby.rest, Rest::Short) {
            Rest::Short => Rousal::Nobody,
            Rest::UntilCalled => Rousal::Worker(standby.thread.clone()),
        }
    }

    /// Requests a turn of the poller; returns the thread to wake.
    pub(crate) fn rouse(&mut self) -> Rousal {
        let PollerState::Vacant { until, .. } = &mut self.poller else {
            self.poller = PollerState::Awake;
            return Rousal::Alarm;
        };
        *until = Time::ZERO;
        match &self.vacancy.standby {
            Some(standby) => Rousal::Worker(standby.thread.clone()),
            // The worker is about to stand by and will notice.
            None => Rousal::Nobody,
        }
    }

    /// Returns the standby worker's next sleep; `None` if it must poll now.
    pub(crate) fn stand_by(&mut self, now: Time, thread: &Thread) -> Option<Rest> {
        let free = match self.poller {
            PollerState::Vacant { until, .. } if until <= now => {
                self.poller = PollerState::Awake;
                self.vacancy.standby = None;
                self.vacancy.returns = 0;
                return None;
            }
            PollerState::Vacant { .. } => true,
            PollerState::Awake | PollerState::Until(_) => false,
        };
        let standby = self.vacancy.standby.get_or_insert_with(|| Standby {
            thread: thread.clone(),
            rest: Rest::Short,
            seen_free: true,
            quiet: 0,
        });
        standby.quiet = match free || standby.seen_free {
            true => 0,
            false => standby.quiet + 1,
        };
        standby.seen_free = false;
        standby.rest = match standby.quiet < QUIET_LOOKS {
            true => Rest::Short,
            false => Rest::UntilCalled,
        };
        Some(standby.rest)
    }

    /// Whether a worker must poll because there is work that an absent reader of `id` would delay.
    fn needs_worker(&self, id: AssocId) -> bool {
        self.lifecycle != Lifecycle::Open
            || self.assocs.len() != 1
            || self.coalescing.has_unanswered()
            || matches!(self.output, Output::Blocked { .. })
            || self.assocs.get(&id).is_none_or(AssocState::has_impatient)
    }
}

impl PollerState {
    /// Starts to keep the role free.
    fn vacant(now: Time) -> Self {
        Self::Vacant {
            since: now,
            until: now + KEPT_FREE,
        }
    }
}
