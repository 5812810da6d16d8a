//! A reader's watch: while waiting for its message, the reader polls the sockets itself, if the
//! [poller's role is free](crate::vacancy).

use std::sync::{MutexGuard, TryLockError};
use std::task::{Context, Poll};
use std::thread;

use sheave_engine::AssocId;

use crate::driver::{Remaining, Shared};
use crate::poller::{Look, Poller};
use crate::reception::{Delivered, Next};
use crate::state::PollerState;
use crate::vacancy::Place;
use crate::wait::{self, Deadline};

/// The poller's role, held by a reader.
struct Watch<'a> {
    shared: &'a Shared,
    /// The association being read.
    id: AssocId,
    poller: MutexGuard<'a, Poller>,
    /// Whether trains remain unsent.
    left: Remaining,
}

/// Outcome of a wait during which another thread polled.
enum Outcome<'a, T> {
    Answer(T),
    /// The thread now has the poller's role.
    Place(Watch<'a>),
}

/// Outcome of a watch.
enum Kept<T> {
    Answer(T),
    TimedOut,
    /// The endpoint is closed; the reader's next poll returns that.
    Closed,
}

impl Shared {
    /// Waits until `poll`, for a reader of `id`, is ready; `None` if the deadline comes first.
    /// Polls the sockets meanwhile if the role is free.
    pub(crate) fn read_until<T>(
        &self,
        id: AssocId,
        deadline: Deadline,
        mut poll: impl FnMut(&Context<'_>) -> Poll<T>,
    ) -> Option<T> {
        loop {
            let waited = wait::until(deadline, |context| match poll(context) {
                Poll::Ready(answer) => Poll::Ready(Outcome::Answer(answer)),
                Poll::Pending => match self.take_place(id) {
                    Some(watch) => Poll::Ready(Outcome::Place(watch)),
                    None => Poll::Pending,
                },
            })?;
            match waited {
                Outcome::Answer(answer) => return Some(answer),
                Outcome::Place(mut watch) => match watch.keep(deadline, &mut poll) {
                    Kept::Answer(answer) => return Some(answer),
                    Kept::TimedOut => return None,
                    Kept::Closed => {}
                },
            }
        }
    }

    /// Takes the poller's role, if it is free.
    fn take_place(&self, id: AssocId) -> Option<Watch<'_>> {
        let now = self.clock.now();
        let mut state = self.lock();
        if let Place::Taken(rousal) = state.begin_wait(now, id) {
            drop(state);
            self.rouse(rousal);
            return None;
        }
        let poller = match self.poller.try_lock() {
            Ok(poller) => poller,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        state.poller = PollerState::Awake;
        drop(state);
        Some(Watch {
            shared: self,
            id,
            poller,
            left: Remaining::Nothing,
        })
    }
}

impl Watch<'_> {
    /// Polls the sockets until `poll` is ready.
    fn keep<T>(
        &mut self,
        deadline: Deadline,
        poll: &mut impl FnMut(&Context<'_>) -> Poll<T>,
    ) -> Kept<T> {
        let shared = self.shared;
        let waker = shared.alarm.waker();
        let context = Context::from_waker(&waker);
        let mut batch = self.poller.take_batch();
        let kept = loop {
            shared.alarm.set(true);
            if let Poll::Ready(answer) = poll(&context) {
                break Kept::Answer(answer);
            }
            let longest = deadline.left();
            if longest.is_zero() {
                break Kept::TimedOut;
            }
            let number = match shared.look(&mut self.poller, &mut batch, longest) {
                Look::Batch(number) => number,
                Look::Nothing => continue,
                Look::Closed => break Kept::Closed,
            };
            shared.alarm.set(false);
            self.left = match shared.deliver(&mut batch, number, Next::Reader) {
                Delivered::Left(left) => left,
                Delivered::Vacated => Remaining::Nothing,
            };
        };
        shared.alarm.set(false);
        self.poller.put_batch(batch);
        kept
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let calls =
            self.left == Remaining::Trains || self.poller.has_ready() || thread::panicking();
        let now = self.shared.clock.now();
        let rousal = self.shared.lock().leave_watch(now, self.id, calls);
        self.shared.rouse(rousal);
    }
}
