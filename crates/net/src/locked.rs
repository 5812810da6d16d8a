//! Guards that a panic must release: the lock and the right to send.

use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;
use std::task::Waker;
use std::thread;

use crate::driver::Shared;
use crate::state::{Output, State};
use crate::wait;

/// The state, locked.
///
/// A panic under the lock, for example in a user's scheduler, may leave the engine inconsistent.
/// The engine is then discarded and every association ended, so that no thread waits for ever or
/// uses broken state.
///
/// Remaining engine events are dispatched when the lock is released, unless more packets are about
/// to be processed first.
pub(crate) struct Locked<'a> {
    state: MutexGuard<'a, State>,
    /// Dropped after `state`, when the lock is free.
    aftermath: Aftermath<'a>,
}

/// Wake-ups due once the lock is free.
struct Aftermath<'a> {
    shared: &'a Shared,
    unwinding: Unwinding,
    /// Wakers to wake for events or after a panic; `None` if neither occurred.
    told: Option<Vec<Waker>>,
}

/// Whether the thread was already panicking when it took the lock. If so, it is dropping handles,
/// and the state is unaffected.
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
        } else if !self.state.coalescing.has_unanswered() && self.state.engine.has_events() {
            let told = self.state.awake.len();
            let now = self.aftermath.shared.clock.now();
            self.state.dispatch_events(now);
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

/// The right to send while the lock is free ([`Output::Busy`]). A panic releases it, so that other
/// threads can send.
pub(crate) struct Sending<'a>(&'a Shared);

impl<'a> Sending<'a> {
    pub(crate) fn new(shared: &'a Shared) -> Self {
        Self(shared)
    }

    /// Defuses the guard; the caller returns the buffer, and with it the right.
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
        // The packets in the buffer are lost, as on the network; the poller sends later ones.
        let rousal = state.rouse();
        drop(state);
        self.0.rouse(rousal);
    }
}
