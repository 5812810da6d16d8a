//! The vacancy: the poller's place, kept free for a reader that comes back to wait in a moment.
//!
//! A thread that receives, answers and waits again is best served by polling itself: nobody has
//! to be woken for a message, and its answer leaves from the same thread. So once a reader has answered
//! and come back soon a few times, the worker that found its message leaves the place to it, and stands
//! by. The reader [takes it](crate::watch) when it waits again, and leaves it free when it has its
//! message. The worker looks once a millisecond whether the reader has stayed away, and comes when it is
//! called. A reader that does not answer is served better by a thread that takes in packets meanwhile.

use std::mem;
use std::thread::Thread;
use std::time::Duration;

use sheave_engine::{AssocId, Time};

use crate::assoc_state::AssocState;
use crate::state::{Lifecycle, Output, PollerState, State};

/// A reader that waits again so soon after its last message comes back soon.
const SOON: Duration = Duration::from_micros(500);

/// Returns in a row after which a reader is expected to come back again.
const RETURNS: u32 = 8;

/// The time for which the place is kept free.
const KEPT_FREE: Duration = Duration::from_micros(200);

/// Looks in a row that find the reader still waiting before the worker sleeps until it is called.
const QUIET_LOOKS: u32 = 16;

/// The reader that comes back, and the worker that stands by for it.
#[derive(Debug, Default)]
pub(crate) struct Vacancy {
    /// The association whose reader a worker has to wake.
    waiting: Option<AssocId>,
    /// When its last message was found.
    woken_at: Time,
    /// Whether a message was sent since then.
    answered: bool,
    /// Returns in a row that were soon, with an answer sent.
    returns: u32,
    /// The worker that stands by.
    standby: Option<Standby>,
}

/// A worker that stands by.
#[derive(Debug)]
struct Standby {
    thread: Thread,
    rest: Rest,
    /// Whether the place was free since it last looked.
    seen_free: bool,
    /// Looks in a row that found the reader waiting all the time.
    quiet: u32,
}

/// The rest of a worker that stands by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// The worker looks again soon.
    Short,
    /// The worker is called when the reader leaves the place.
    UntilCalled,
}

/// The one to be roused once the lock is free.
#[derive(Debug)]
pub(crate) enum Rousal {
    /// Whoever sleeps at the sockets.
    Alarm,
    /// The worker that stands by.
    Worker(Thread),
    Nobody,
}

/// The poller's place, for a reader that is about to wait.
#[derive(Debug)]
pub(crate) enum Place {
    /// The reader may have it.
    Free,
    /// The reader may not have it; somebody may have to be roused first.
    Taken(Rousal),
}

impl Vacancy {
    /// A reader of that association begins to wait.
    fn on_wait(&mut self, now: Time, id: AssocId) {
        let comes_back = self.answered && now.since(self.woken_at) < SOON;
        self.returns = match comes_back {
            true => self.returns.saturating_add(1),
            false => 0,
        };
        self.waiting = Some(id);
    }

    /// A message was found for the reader.
    fn on_message(&mut self, now: Time) {
        self.woken_at = now;
        self.answered = false;
    }

    /// A message was sent.
    pub(crate) fn on_send(&mut self) {
        self.answered = true;
    }

    /// Whether the reader that was woken now is expected to come back soon.
    fn expects(&self) -> bool {
        self.returns >= RETURNS
    }
}

impl State {
    /// A reader of that association is about to wait.
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

    /// Leaves the poller's place to the reader that the worker's batch has woken, if that reader comes
    /// back as a rule.
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

    /// The reader of that association leaves the place; says who is to be roused.
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

    /// There is something to do for whoever polls: says who is to be roused.
    pub(crate) fn rouse(&mut self) -> Rousal {
        let PollerState::Vacant { until, .. } = &mut self.poller else {
            self.poller = PollerState::Awake;
            return Rousal::Alarm;
        };
        *until = Time::ZERO;
        match &self.vacancy.standby {
            Some(standby) => Rousal::Worker(standby.thread.clone()),
            // It is about to stand by, and sees it then.
            None => Rousal::Nobody,
        }
    }

    /// The rest of the worker that stands by; `None` when it is to poll.
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

    /// Whether there is more to do than the reader of that association would, who is not there for the
    /// moment.
    fn needs_worker(&self, id: AssocId) -> bool {
        self.lifecycle != Lifecycle::Open
            || self.assocs.len() != 1
            || self.coalescing.has_unanswered()
            || matches!(self.output, Output::Blocked { .. })
            || self.assocs.get(&id).is_none_or(AssocState::has_impatient)
    }
}

impl PollerState {
    /// The place is kept free from now on.
    fn vacant(now: Time) -> Self {
        Self::Vacant {
            since: now,
            until: now + KEPT_FREE,
        }
    }
}
