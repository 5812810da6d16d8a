//! The locks and rights that a panic must give back.

use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;
use std::task::Waker;
use std::thread;

use crate::driver::Shared;
use crate::state::{Output, State};
use crate::wait;

/// The state, locked.
///
/// A panic meanwhile, be it in a scheduler of the user's, may leave the engine half-changed: it is
/// given up then, and every association is told to be at its end. So nobody waits for ever, and
/// nobody goes on with what is broken.
///
/// Events that are left in the engine, by whatever was done to it, reach those whom they concern when the
/// lock is released, unless more packets are about to come first.
pub(crate) struct Locked<'a> {
    state: MutexGuard<'a, State>,
    /// Dropped after the lock is free.
    aftermath: Aftermath<'a>,
}

/// The work that follows once the lock is free.
struct Aftermath<'a> {
    shared: &'a Shared,
    unwinding: Unwinding,
    /// Whom to tell of a panic under the lock, or of events.
    told: Option<Vec<Waker>>,
}

/// Whether the thread was panicking when it took the lock: then handles are being dropped, and the
/// panic is none of the state's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unwinding {
    Already,
    NotYet,
}

impl<'a> Locked<'a> {
    pub(crate) fn new(shared: &'a Shared, state: MutexGuard<'a, State>) -> Self {
        let unwinding = match thread::panicking() {
            true => Unwinding::Already,
            false => Unwinding::NotYet,
        };
        Self {
            state,
            aftermath: Aftermath {
                shared,
                unwinding,
                told: None,
            },
        }
    }
}

impl Deref for Locked<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        if thread::panicking() && self.aftermath.unwinding == Unwinding::NotYet {
            self.state.break_down();
            self.aftermath.told = Some(std::mem::take(&mut self.state.awake));
        } else if !self.state.coalescing.has_unanswered()
            && let Some(event) = self.state.engine.poll_event()
        {
            let told = self.state.awake.len();
            self.state.take_up(self.aftermath.shared.clock.now(), event);
            self.aftermath.told = Some(self.state.awake.split_off(told));
        }
    }
}

impl Drop for Aftermath<'_> {
    fn drop(&mut self) {
        if let Some(told) = self.told.take() {
            wait::wake(told);
            self.shared.alert();
        }
    }
}

/// The right to send while the lock is free ([`Output::Busy`]): given back should the thread panic, so
/// that the others can send.
pub(crate) struct Sending<'a>(&'a Shared);

impl<'a> Sending<'a> {
    pub(crate) fn new(shared: &'a Shared) -> Self {
        Self(shared)
    }

    /// The buffer is about to be given back, and with it the right.
    pub(crate) fn done(self) {
        std::mem::forget(self);
    }
}

impl Drop for Sending<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if matches!(state.output, Output::Busy) {
            state.output = Output::Idle(Vec::new());
        }
        // The packets at hand are lost, as on the way; what follows them is the poller's to send.
        let rousal = state.rouse();
        drop(state);
        self.0.rouse(rousal);
    }
}
